mod blocking;
mod io;
mod park;
mod task;
mod time;
