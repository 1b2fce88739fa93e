vcl 4.1;

# Varnish in front of a node or of the load balancer: caches only images and files, according to Cache-Control.

backend default {
  .host = "octavo-1";
  .port = "8080";
  .connect_timeout = 2s;
  # Longer than the slowest image (render_timeout_seconds and queueing).
  .first_byte_timeout = 60s;
}

sub vcl_recv {
  # Uploads are streamed, and no write is retried.
  if (req.method != "GET" && req.method != "HEAD") {
    return (pipe);
  }
  if (req.url !~ "^/(api/(delivery/)?images|project/(uploads|media))/") {
    return (pass);
  }
  # The built-in rules follow: requests with Authorization or a cookie are passed on.
}

sub vcl_backend_response {
  # Without keep a stale object is removed. With keep Varnish revalidates it by ETag, and a 304 renews it.
  if (beresp.ttl > 0s) {
    set beresp.keep = 7d;
  }
}
