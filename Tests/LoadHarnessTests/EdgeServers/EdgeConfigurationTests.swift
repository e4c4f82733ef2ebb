import CachePolicy
import MediaUnits
import Models
import SimulationKernel
import Testing

@testable import LoadHarness

@Suite struct EdgeConfigurationTests {
  private let setup = EdgeServerSetup(
    address: "127.0.0.1", port: 9100, originHost: "127.0.0.1", originPort: 9000, folder: "/run/x",
    cacheFolder: "/run/x/cache", room: 1_000_000)

  private func nginx(_ change: (inout EdgeServerPolicy) -> Void = { _ in }) -> String {
    var policy = EdgeServerPolicy()
    change(&policy)
    return NginxConfiguration(policy: policy, setup: setup).text
  }

  private func vcl(_ change: (inout EdgeServerPolicy) -> Void = { _ in }) -> String {
    var policy = EdgeServerPolicy()
    change(&policy)
    return VarnishConfiguration(policy: policy, setup: setup).vcl
  }

  /// Names of the directives in order, with the depth of their block.
  private func structure(_ text: String) -> [String] {
    text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard let word = words.first, word != "}", !word.hasPrefix("'") else { return nil }
      return String(repeating: ".", count: (line.count - line.drop { $0 == " " }.count) / 2)
        + word
    }
  }

  @Test func `nginx's configuration has these directives, all paths in the server's folder`() {
    let text = nginx()
    #expect(
      structure(text) == [
        "daemon", "worker_processes", "worker_rlimit_nofile", "pid", "error_log", "events", "http",
        ".access_log", ".client_body_temp_path", ".proxy_temp_path", ".fastcgi_temp_path",
        ".uwsgi_temp_path", ".scgi_temp_path", ".sendfile", ".tcp_nodelay", ".keepalive_timeout",
        ".keepalive_requests", ".types", ".default_type", ".proxy_cache_path", ".upstream",
        "..server", "..keepalive", "..keepalive_requests", "..keepalive_timeout", ".server",
        "..listen", "..location", "..location", "...proxy_pass", "...proxy_http_version",
        "...proxy_set_header", "...proxy_set_header", "...proxy_connect_timeout",
        "...proxy_read_timeout", "...proxy_next_upstream", "...proxy_next_upstream_tries",
        "...proxy_buffers", "...proxy_buffer_size", "...proxy_busy_buffers_size",
        "...proxy_cache", "...proxy_cache_key", "...proxy_cache_min_uses",
        "...proxy_cache_revalidate", "...proxy_ignore_client_abort", "...proxy_cache_lock",
        "...proxy_cache_lock_timeout", "...proxy_cache_lock_age",
        "...proxy_cache_background_update", "...proxy_cache_use_stale", "...add_header",
        "...add_header",
      ])
    for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" || $0 == ";" })
    where word.hasPrefix("/") && word != "/" && word != EdgeServerSetup.readyPath {
      #expect(word.hasPrefix("/run/x/"), "\(word)")
    }
    #expect(text.contains("max_size=1000000"))
  }

  @Test func `nginx locks, serves stale and updates as the policy says`() {
    #expect(nginx().contains("proxy_cache_lock on;"))
    #expect(nginx { $0.collapsing.mode = .none }.contains("proxy_cache_lock off;"))
    let lock = CollapsingMachine.Lock(timeout: .milliseconds(1500), age: .seconds(7))
    let locked = nginx { $0.collapsing.mode = .absentOnly(lock) }
    #expect(locked.contains("proxy_cache_lock_timeout 1500ms;"))
    #expect(locked.contains("proxy_cache_lock_age 7000ms;"))
    #expect(nginx().contains("proxy_cache_background_update on;"))
    #expect(
      nginx { $0.collapsing.revalidation = .foreground }
        .contains("proxy_cache_background_update off;"))
    let words: [(CacheFreshness.StaleOnFailure, String)] = [
      (.never, "off"), (.whenUnreachable, "off"),
      (.withinWindow, "http_500 http_502 http_503 http_504"),
      (.always, "error timeout invalid_header http_500 http_502 http_503 http_504"),
    ]
    for (failure, word) in words {
      #expect(
        nginx { $0.collapsing.staleOnFailure = failure }
          .contains("proxy_cache_use_stale \(word);"))
    }
  }

  @Test func `nginx offers HTTP/2 with a certificate only, and logs when asked`() {
    let certificate = EdgeServerPolicy.Certificate(chain: "/run/x/c", key: "/run/x/k")
    #expect(!nginx { $0.http2 = true }.contains("http2"))
    let secure = nginx {
      $0.http2 = true
      $0.certificate = certificate
    }
    #expect(secure.contains("listen 127.0.0.1:9100 backlog=65535 ssl http2;"))
    #expect(nginx { $0.logsRequests = true }.contains("access_log /run/x/access.log"))
    #expect(nginx { $0.admission = .bloom }.contains("proxy_cache_min_uses 2;"))
    #expect(nginx { $0.attempts = 3 }.contains("proxy_next_upstream error timeout;"))
  }

  @Test func `Varnish's subroutines are these, braces balance and parts follow the policy`() {
    let text = vcl()
    let names = text.split(separator: "\n").filter { $0.hasPrefix("sub ") }
      .map { String($0.split(separator: " ")[1]) }
    #expect(
      names == [
        "vcl_recv", "vcl_hash", "vcl_backend_response", "vcl_hit", "vcl_deliver",
        "vcl_backend_error", "vcl_synth",
      ])
    #expect(text.count { $0 == "{" } == text.count { $0 == "}" })
    #expect(text.contains("stale-if-error=[0-9]+"))
    #expect(
      !vcl { $0.collapsing.staleOnFailure = .never }.contains("stale-if-error=[0-9]+"))
    #expect(
      vcl { $0.collapsing.revalidation = .foreground }.contains("set beresp.grace = 0s;"))
    #expect(vcl { $0.keysQueries = false }.contains("regsub(req.url"))
  }

  @Test func `Varnish gets its storage, no management port and no system folder`() {
    let arguments = VarnishConfiguration(policy: EdgeServerPolicy(), setup: setup)
      .arguments(folder: "/run/x")
    #expect(arguments.contains("edge=malloc,1000000"))
    #expect(arguments.contains("127.0.0.1:9100,HTTP"))
    let place = arguments.firstIndex(of: "-T")
    #expect(place.map { arguments[$0 + 1] } == "none")
    #expect(arguments.contains("timeout_idle=60.000"))
    for word in arguments where word.hasPrefix("/") {
      #expect(word.hasPrefix("/run/x/"), "\(word)")
    }
    var policy = EdgeServerPolicy()
    policy.storage = .folder("/disk")
    let file = VarnishConfiguration(policy: policy, setup: setup).arguments(folder: "/run/x")
    #expect(file.contains("edge=file,/run/x/cache/storage.bin,1000000"))
  }

  @Test func `our own edge is told where, from where, how much and by which policy`() {
    var policy = EdgeServerPolicy()
    policy.eviction = "sieve"
    policy.scenario = "s.yaml"
    policy.admission = .size(atMost: 77)
    policy.scenarioSettings = ["seed=3"]
    policy.keysQueries = false
    #expect(
      FirstFrameEdgeArguments(policy: policy, setup: setup).words == [
        "--origin", "http://127.0.0.1:9000", "--host", "127.0.0.1", "--port", "9100",
        "--capacity", "1000000B", "--policy", "sieve", "--admission", "size:77", "--scenario",
        "s.yaml", "--set", "seed=3", "--ignore-query",
      ])
    policy.tellsServerData = true
    #expect(FirstFrameEdgeArguments(policy: policy, setup: setup).words.last == "--cmsd")
  }

  @Test func `servers say what they know of their answers only when they are to`() {
    #expect(!nginx().contains("cmsd") && !nginx().contains("CMSD"))
    #expect(!vcl().contains("CMSD"))
    let told = nginx { $0.tellsServerData = true }
    #expect(
      told.contains(#"add_header CMSD-Dynamic '"nginx";rd=$cmsd_rd;rtt=$cmsd_rtt' always;"#))
    #expect(structure(told).contains(".map"))
    let text = vcl { $0.tellsServerData = true }
    #expect(text.contains(#"{""varnish""}"#))
    #expect(text.count { $0 == "{" } == text.count { $0 == "}" })
  }

  @Test func `a scenario's tier becomes a policy`() {
    let tier = CacheTierConfiguration(
      capacity: .megabytes(5), eviction: .sieve,
      collapsing: .init(mode: .absentOnly(.init()), revalidation: .foreground),
      inheritsAge: false, serviceTime: QuantileTable(constant: 0),
      upstream: UpstreamConfiguration(
        roundTrip: QuantileTable(constant: 0.01), floor: .zero, keepAlive: .seconds(9),
        connectTimeout: .seconds(2), responseTimeout: .seconds(4), attempts: 2))
    let policy = EdgeServerPolicy(tier)
    #expect(policy.capacity == 5_000_000 && policy.eviction == "sieve")
    #expect(!policy.inheritsAge && !policy.keysQueries && policy.attempts == 2)
    #expect(policy.upstreamKeepAlive == .seconds(9) && policy.responseTimeout == .seconds(4))
    #expect(policy.collapsing.revalidation == .foreground)
    var infinite = tier
    infinite.eviction = .infinite
    #expect(EdgeServerPolicy(infinite).capacity == nil)
    #expect(EdgeServerPolicy(tier, cacheKey: .query(values: 2)).keysQueries)
  }

  @Test func `every product says what it does otherwise, our own edge has nothing to say`() {
    var policy = EdgeServerPolicy()
    policy.eviction = "sieve"
    #expect(EdgeServerKind.firstframe.differences(policy).isEmpty)
    for kind in [EdgeServerKind.nginx, .varnish] {
      let texts = kind.differences(policy)
      #expect(texts.count >= 4 && texts.contains { $0.contains("sieve") })
      #expect(Set(texts).count == texts.count)
    }
    policy.admission = .probability(0.5)
    #expect(EdgeServerKind.nginx.differences(policy).contains { $0.contains("admission") })
    policy.inheritsAge = false
    #expect(!EdgeServerKind.nginx.differences(policy).contains { $0.contains("Age") })
  }
}
