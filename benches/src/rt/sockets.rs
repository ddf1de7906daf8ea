//! The sockets of a contestant: the same lines for each, on its own `TcpListener`, `TcpStream` and traits for reading and
//! writing, which are in scope where the macro is used.

macro_rules! sockets {
    () => {
        async fn bind() -> std::io::Result<(TcpListener, std::net::SocketAddr)> {
            let listener = TcpListener::bind("127.0.0.1:0").await?;
            let addr = listener.local_addr()?;
            Ok((listener, addr))
        }

        async fn accept(listener: &TcpListener) -> std::io::Result<TcpStream> {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            Ok(stream)
        }

        async fn connect(addr: std::net::SocketAddr) -> std::io::Result<TcpStream> {
            let stream = TcpStream::connect(addr).await?;
            stream.set_nodelay(true)?;
            Ok(stream)
        }

        async fn read(stream: &mut TcpStream, buf: &mut [u8]) -> std::io::Result<usize> {
            stream.read(buf).await
        }

        async fn write_all(stream: &mut TcpStream, buf: &[u8]) -> std::io::Result<()> {
            stream.write_all(buf).await
        }
    };
}
pub(super) use sockets;
