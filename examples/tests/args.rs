//! The service's command line: runs the unit tests beside it. (An example that is built as a test is not built as a
//! program, and the other tests need the program.)

#[path = "../service/args.rs"]
#[expect(dead_code, reason = "only its tests are of interest here")]
mod args;
