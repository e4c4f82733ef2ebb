import CachePolicy
import MediaUnits

/// The VCL and the command line of Varnish for an edge.
///
/// Varnish takes lifetimes and `stale-while-revalidate` (as grace) from the origin's answer by
/// itself. `stale-if-error` is built here: a copy is kept for the longer of the two windows; a
/// request past `stale-while-revalidate` waits for the origin, and is answered with the copy when
/// that fails. What Varnish does differently is ``EdgeServerKind/differences(_:)``.
struct VarnishConfiguration {
  let policy: EdgeServerPolicy
  let setup: EdgeServerSetup

  /// Arguments of `varnishd`, without the program.
  func arguments(folder: String) -> [String] {
    let storage: String
    switch policy.storage {
    case .memory: storage = "malloc,\(setup.room)"
    case .folder: storage = "file,\(setup.cacheFolder)/storage.bin,\(setup.room)"
    }
    return [
      "-F", "-j", "none", "-n", "\(folder)/varnish", "-f", "\(folder)/edge.vcl",
      "-a", "\(setup.address):\(setup.port),HTTP", "-T", "none", "-s", "edge=\(storage)",
      "-s", "Transient=malloc,256m", "-P", "\(folder)/varnish.pid",
    ]
      + parameters.flatMap { ["-p", "\($0)=\($1)"] }
  }

  private var parameters: [(String, String)] {
    [
      ("thread_pools", "\(max(2, policy.workers))"), ("thread_pool_min", "50"),
      ("thread_pool_max", "5000"),
      // RFC 9111: no lifetime, no storing; no grace unless the origin says so.
      ("default_ttl", "0"), ("default_grace", "0"), ("default_keep", "0"),
      ("timeout_idle", seconds(policy.clientKeepAlive)),
      ("backend_idle_timeout", seconds(policy.upstreamKeepAlive)),
      ("feature", policy.http2 ? "+http2" : "-http2"), ("listen_depth", "65535"),
    ]
  }

  private func seconds(_ span: TimeSpan) -> String {
    let thousandths = min(span.nanoseconds / 1_000_000, 3_600_000)
    let rest = "\(thousandths % 1000)"
    return "\(thousandths / 1000).\(String(repeating: "0", count: 3 - rest.utf8.count))\(rest)"
  }

  private var servesStaleOnFailure: Bool {
    policy.collapsing.staleOnFailure != .never
  }

  var vcl: String {
    [
      """
      vcl 4.1;
      import std;

      backend origin {
        .host = "\(setup.originHost)";
        .port = "\(setup.originPort)";
        .connect_timeout = \(seconds(policy.connectTimeout))s;
        .first_byte_timeout = \(seconds(policy.responseTimeout))s;
        .between_bytes_timeout = \(seconds(policy.responseTimeout))s;
      }
      """, receive, response, hit, deliver, failure,
    ].joined(separator: "\n\n") + "\n"
  }

  private var receive: String {
    """
    sub vcl_recv {
      if (req.url == "\(EdgeServerSetup.readyPath)") { return (synth(204)); }
      if (req.restarts == 0) {
        unset req.http.X-FF-Stale;
        unset req.http.X-FF-Failed;
      }
      # A stale copy may not be served: wait for the origin. The setting outlives restarts.
      if (req.http.X-FF-Stale && !req.http.X-FF-Failed) { set req.grace = 0s; }
      else { set req.grace = 3650d; }
    }

    sub vcl_hash {
      hash_data(\(policy.keysQueries ? "req.url" : "regsub(req.url, \"\\?.*$\", \"\")"));
      return (lookup);
    }
    """
  }

  private var response: String {
    let window =
      policy.collapsing.revalidation == .background ? "beresp.grace" : "0s"
    return """
      sub vcl_backend_response {
        # A failure never takes a usable copy's place.
        if (beresp.status >= 500 && (bereq.is_bgfetch || bereq.http.X-FF-Stale)) {
          return (abandon);
        }
        set beresp.http.X-FF-Window = "" + \(window) + "s";
        if (beresp.was_304) { set beresp.http.X-FF-Validated = "1"; }
        else { unset beresp.http.X-FF-Validated; }
        set beresp.grace = \(window);
      \(staleIfError)
        if (beresp.http.Cache-Control ~ "(must|proxy)-revalidate") { set beresp.grace = 0s; }
        # Room for a conditional request after that (RFC 9111 section 4.3).
        if (beresp.http.ETag || beresp.http.Last-Modified) { set beresp.keep = 30d; }
      }
      """
  }

  private var staleIfError: String {
    if !servesStaleOnFailure { return "  # stale-if-error is not obeyed." }
    let always = policy.collapsing.staleOnFailure == .always
    return """
        if (beresp.http.Cache-Control ~ "stale-if-error=[0-9]+") {
          set beresp.http.X-FF-Error = regsub(beresp.http.Cache-Control,
            "^.*stale-if-error=([0-9]+).*$", "\\1") + "s";
          if (std.duration(beresp.http.X-FF-Error, 0s) > beresp.grace) {
            set beresp.grace = std.duration(beresp.http.X-FF-Error, 0s);
          }
          unset beresp.http.X-FF-Error;
        }\(always ? " else if (beresp.ttl > 0s) { set beresp.grace = 30d; }" : "")
      """
  }

  private var hit: String {
    """
    sub vcl_hit {
      if (obj.ttl >= 0s || obj.ttl + std.duration(obj.http.X-FF-Window, 0s) > 0s) {
        return (deliver);
      }
      if (req.http.X-FF-Failed) { return (deliver); }
      set req.http.X-FF-Stale = "1";
      return (restart);
    }
    """
  }

  private var deliver: String {
    """
    sub vcl_deliver {
      if (obj.uncacheable) { set resp.http.X-Cache-Status = "BYPASS"; }
      elsif (obj.hits == 0) {
        if (resp.http.X-FF-Validated) { set resp.http.X-Cache-Status = "REVALIDATED"; }
        else { set resp.http.X-Cache-Status = "MISS"; }
      }
      elsif (obj.ttl < 0s) { set resp.http.X-Cache-Status = "STALE"; }
      else { set resp.http.X-Cache-Status = "HIT"; }
      set resp.http.X-Cache = resp.http.X-Cache-Status;
    \(serverData)
      unset resp.http.X-FF-Window;
      unset resp.http.X-FF-Validated;
    }
    """
  }

  /// VCL knows neither the round trip nor, as a whole number, how long anything took.
  private var serverData: String {
    if !policy.tellsServerData { return "  # No server data." }
    return """
        if (resp.http.CMSD-Dynamic) {
          set resp.http.CMSD-Dynamic = resp.http.CMSD-Dynamic + {", "varnish""};
        } else {
          set resp.http.CMSD-Dynamic = {""varnish""};
        }
      """
  }

  private var failure: String {
    """
    sub vcl_backend_error {
      # The copy that was too old to be served at once is served now.
      if (bereq.http.X-FF-Stale) { return (abandon); }
    }

    sub vcl_synth {
      if (resp.status == 503 && req.http.X-FF-Stale && !req.http.X-FF-Failed) {
        set req.http.X-FF-Failed = "1";
        return (restart);
      }
    }
    """
  }
}
