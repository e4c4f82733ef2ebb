import CachePolicy
import MediaUnits

/// nginx.conf for an edge.
///
/// Lifetimes, `stale-while-revalidate` and `stale-if-error` come from the origin's `Cache-Control`,
/// which nginx obeys from 1.11.10 on (ngx_http_proxy_module, `proxy_cache_valid`). The rest of the
/// policy is said here. What nginx does differently is ``EdgeServerKind/differences(_:)``.
struct NginxConfiguration {
  let policy: EdgeServerPolicy
  let setup: EdgeServerSetup

  var text: String {
    let inside = http + serverData + cache + upstream + server
    return (global + ["http {"] + inside.map { "  \($0)" } + ["}"]).joined(separator: "\n") + "\n"
  }

  private var global: [String] {
    [
      "daemon off;",
      "worker_processes \(policy.workers);",
      "worker_rlimit_nofile 65536;",
      "pid \(setup.folder)/nginx.pid;",
      "error_log \(setup.folder)/error.log warn;",
      "events { worker_connections 16384; }",
    ]
  }

  private var http: [String] {
    let log =
      policy.logsRequests
      ? [
        "log_format firstframe '$remote_addr - - [$time_local] \"$request\" $status '",
        "  '$body_bytes_sent \"-\" \"$upstream_cache_status\" $request_time';",
        "access_log \(setup.folder)/access.log firstframe buffer=64k flush=1s;",
      ] : ["access_log off;"]
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
      "\($0)_temp_path \(setup.folder)/temporary-\($0);"
    }
    return log + temporary + [
      "sendfile on;",
      "tcp_nodelay on;",
      "keepalive_timeout \(EdgeServerSetup.milliseconds(policy.clientKeepAlive));",
      "keepalive_requests 1000000000;",
      "types { }",
      "default_type application/octet-stream;",
    ]
  }

  /// Variables in milliseconds: of the round trip, which nginx has in microseconds, and of the time
  /// to the origin's head, which it has in seconds with three decimals, and not for a hit.
  private var serverData: [String] {
    if !policy.tellsServerData { return [] }
    return [
      "map $tcpinfo_rtt $cmsd_rtt {",
      "  default 0;",
      "  \"~^(?<cmsd_ms>[0-9]+)[0-9][0-9][0-9]$\" $cmsd_ms;",
      "}",
      "map $upstream_header_time $cmsd_rd {",
      "  default 0;",
      "  \"~^0\\.0*(?<cmsd_rest>[0-9]+)$\" $cmsd_rest;",
      "  \"~^(?<cmsd_s>[1-9][0-9]*)\\.(?<cmsd_part>[0-9]+)$\" $cmsd_s$cmsd_part;",
      "}",
    ]
  }

  private var cache: [String] {
    // A key takes 128 bytes (ngx_http_proxy_module, keys_zone: 8,000 keys to the megabyte).
    [
      "proxy_cache_path \(setup.cacheFolder) levels=2:2 keys_zone=edge:128m max_size=\(setup.room)"
        + " inactive=3650d use_temp_path=off manager_sleep=50ms manager_files=1000;"
    ]
  }

  private var upstream: [String] {
    [
      "upstream origin {",
      "  server \(setup.originHost):\(setup.originPort) max_fails=0;",
      "  keepalive 256;",
      "  keepalive_requests 1000000000;",
      "  keepalive_timeout \(EdgeServerSetup.milliseconds(policy.upstreamKeepAlive));",
      "}",
    ]
  }

  private var server: [String] {
    var lines = ["server {", "  listen \(setup.address):\(setup.port)\(listenOptions);"]
    if let certificate = policy.certificate {
      lines += [
        "  ssl_certificate \(certificate.chain);",
        "  ssl_certificate_key \(certificate.key);",
        "  ssl_protocols TLSv1.2 TLSv1.3;",
        "  ssl_session_cache shared:sessions:16m;",
      ]
    }
    lines.append("  location = \(EdgeServerSetup.readyPath) { return 204; }")
    lines.append("  location / {")
    lines += (forwarding + storing + serving).map { "    \($0)" }
    return lines + ["  }", "}"]
  }

  private var listenOptions: String {
    var words = " backlog=65535"
    if policy.certificate != nil { words += " ssl" }
    if policy.certificate != nil && policy.http2 { words += " http2" }
    return words
  }

  private var forwarding: [String] {
    [
      "proxy_pass http://origin;",
      "proxy_http_version 1.1;",
      "proxy_set_header Connection \"\";",
      "proxy_set_header Host $http_host;",
      "proxy_connect_timeout \(EdgeServerSetup.milliseconds(policy.connectTimeout));",
      "proxy_read_timeout \(EdgeServerSetup.milliseconds(policy.responseTimeout));",
      "proxy_next_upstream \(policy.attempts > 1 ? "error timeout" : "off");",
      "proxy_next_upstream_tries \(policy.attempts);",
      "proxy_buffers 32 32k;",
      "proxy_buffer_size 32k;",
      "proxy_busy_buffers_size 64k;",
    ]
  }

  private var storing: [String] {
    var lines = [
      "proxy_cache edge;",
      "proxy_cache_key \(policy.keysQueries ? "$uri$is_args$args" : "$uri");",
      "proxy_cache_min_uses \(policy.admission == .bloom ? 2 : 1);",
      "proxy_cache_revalidate on;",
      // Bodies go to the cache whole even when the client goes away.
      "proxy_ignore_client_abort off;",
    ]
    if let lock = policy.lock {
      lines += [
        "proxy_cache_lock on;",
        "proxy_cache_lock_timeout \(EdgeServerSetup.milliseconds(lock.timeout));",
        "proxy_cache_lock_age \(EdgeServerSetup.milliseconds(lock.age));",
      ]
    } else {
      lines.append("proxy_cache_lock off;")
    }
    let inBackground = policy.collapsing.revalidation == .background
    lines.append("proxy_cache_background_update \(inBackground ? "on" : "off");")
    lines.append("proxy_cache_use_stale \(staleUse);")
    return lines
  }

  private var staleUse: String {
    let failures = "http_500 http_502 http_503 http_504"
    switch policy.collapsing.staleOnFailure {
    // Failed connections within stale-if-error are answered stale without being told.
    case .never, .whenUnreachable: return "off"
    case .withinWindow: return failures
    case .whenCutOff: return "error timeout invalid_header"
    case .always: return "error timeout invalid_header " + failures
    }
  }

  private var serving: [String] {
    [
      "add_header X-Cache-Status $upstream_cache_status always;",
      "add_header X-Cache $upstream_cache_status always;",
    ]
      + (policy.tellsServerData
        ? ["add_header CMSD-Dynamic '\"nginx\";rd=$cmsd_rd;rtt=$cmsd_rtt' always;"] : [])
  }
}
