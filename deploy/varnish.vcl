vcl 4.1;

# Varnish in front of a node or of the balancer: keeps pictures and files as Octavo's Cache-Control says, and nothing else.

backend default {
  .host = "octavo-1";
  .port = "8080";
  .connect_timeout = 2s;
  # Longer than the slowest image (render_timeout_seconds and a wait).
  .first_byte_timeout = 60s;
}

sub vcl_recv {
  # Uploads are handed through as they arrive, and no write is sent again.
  if (req.method != "GET" && req.method != "HEAD") {
    return (pipe);
  }
  if (req.url !~ "^/(api/images|project/uploads)/") {
    return (pass);
  }
  # The built-in rules follow: requests with Authorization or a cookie are passed on.
}

sub vcl_backend_response {
  # Without keep an object that has become old is thrown away. With it Varnish asks by its ETag, and a 304 renews it.
  if (beresp.ttl > 0s) {
    set beresp.keep = 7d;
  }
}
