//! What the service answers, each request under a time limit.

use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use wheelhouse::runtime::Handle;
use wheelhouse::time::{sleep, timeout};

use crate::metrics;
use crate::server::{Service, add_one};

/// What a request may take beyond what it asks for.
const LIMIT: Duration = Duration::from_secs(2);

/// The longest `/sleep/<ms>`.
const LONGEST_SLEEP: Duration = Duration::from_secs(60);

type Body = Full<Bytes>;

/// What a request asks for.
enum Route {
    Hello,
    Sleep(Duration),
    Slow,
    Metrics,
}

/// The answer; 504 when its time limit comes first.
pub(crate) async fn answer(request: Request<Incoming>, service: &Service) -> Response<Body> {
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return text(StatusCode::METHOD_NOT_ALLOWED, "GET and HEAD only\n".to_owned());
    }
    let route = match route(request.uri().path()) {
        Ok(route) => route,
        Err(response) => return *response,
    };
    let limit = match route {
        Route::Sleep(duration) => duration + LIMIT,
        _ => LIMIT,
    };
    match timeout(limit, perform(route, service)).await {
        Ok(response) => response,
        Err(_) => {
            add_one(&service.cut_off);
            text(StatusCode::GATEWAY_TIMEOUT, format!("cut off after {} ms\n", limit.as_millis()))
        }
    }
}

fn route(path: &str) -> Result<Route, Box<Response<Body>>> {
    match path {
        "/" => Ok(Route::Hello),
        "/slow" => Ok(Route::Slow),
        "/metrics" => Ok(Route::Metrics),
        _ => {
            let Some(ms) = path.strip_prefix("/sleep/") else {
                let there_is = "there is /, /sleep/<ms>, /slow and /metrics\n";
                return Err(Box::new(text(StatusCode::NOT_FOUND, there_is.to_owned())));
            };
            let duration = ms.parse().ok().map(Duration::from_millis).filter(|duration| *duration <= LONGEST_SLEEP);
            duration.map(Route::Sleep).ok_or_else(|| {
                let wanted = format!("/sleep/<ms> takes whole milliseconds up to {}\n", LONGEST_SLEEP.as_millis());
                Box::new(text(StatusCode::BAD_REQUEST, wanted))
            })
        }
    }
}

async fn perform(route: Route, service: &Service) -> Response<Body> {
    match route {
        Route::Hello => text(StatusCode::OK, "Hello from wheelhouse\n".to_owned()),
        Route::Sleep(duration) => {
            sleep(duration).await;
            text(StatusCode::OK, format!("slept {} ms\n", duration.as_millis()))
        }
        Route::Slow => {
            // Longer than the limit: a backend that does not answer in time.
            sleep(10 * LIMIT).await;
            text(StatusCode::OK, "slow, but here\n".to_owned())
        }
        Route::Metrics => {
            let mut response = text(StatusCode::OK, metrics::page(service, &Handle::current().metrics()));
            let prometheus = HeaderValue::from_static("text/plain; version=0.0.4");
            response.headers_mut().insert(CONTENT_TYPE, prometheus);
            response
        }
    }
}

fn text(status: StatusCode, body: String) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}
