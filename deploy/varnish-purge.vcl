vcl 4.1;

# Varnish in front of a node or of the load balancer: keeps what delivery tokens read, files and images, until a purge names
# one of their cache groups (the service needs cache_groups=xkey). docs/purge.md says more. Needs the module xkey, of the
# package varnish-modules.

import xkey;

backend default {
  .host = "octavo-1";
  .port = "8080";
  .connect_timeout = 2s;
  # Longer than the slowest image (render_timeout_seconds and queueing).
  .first_byte_timeout = 60s;
}

# Who may purge: the receiver of the webhook.
acl purgers {
  "127.0.0.1";
}

sub vcl_recv {
  if (req.method == "PURGE") {
    if (client.ip !~ purgers) {
      return (synth(403));
    }
    if (req.http.xkey-purge) {
      return (synth(200, "Purged " + xkey.purge(req.http.xkey-purge)));
    }
    # After a gap in the deliveries nothing that is kept can be relied on.
    ban("obj.status != 0");
    return (synth(200, "Purged all"));
  }
  # Uploads are streamed, and no write is retried.
  if (req.method != "GET" && req.method != "HEAD") {
    return (pipe);
  }
  if (req.url !~ "^/(api/(delivery|entries|files|folders|images|media|registry)|project/(uploads|media))\b") {
    return (pass);
  }
  # The built-in rules follow: requests with Authorization or a cookie are passed on.
}

sub vcl_backend_response {
  # As long as nothing changes it. What is private, and every problem, is not kept.
  if (beresp.http.xkey && beresp.http.Cache-Control !~ "private|no-store") {
    set beresp.ttl = 7d;
    set beresp.grace = 0s;
  }
}

sub vcl_deliver {
  # The names are for caches. Browsers go by Cache-Control, and ask again.
  unset resp.http.xkey;
}
