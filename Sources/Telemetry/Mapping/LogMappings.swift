/// Access logs: a request a line.
enum LogMappings {
  private typealias Column = ColumnMapping.Column

  /// What both logs of CloudFront have. Texts in them are URL-encoded once more than the request
  /// was.
  private static var cloudfrontColumns: [Column] {
    [
      Column(.edge, "x-edge-location"), .measured(.bytes, "sc-bytes", in: "B"),
      Column(.address, "c-ip"),
      Column(.address, "x-forwarded-for"), Column(.url, "cs-uri-stem"),
      Column(.status, "sc-status"), Column(.query, "cs-uri-query"),
      Column(.cache, "x-edge-result-type"), .measured(.duration, "time-taken", in: "s"),
      .measured(.firstByte, "time-to-first-byte", in: "s"), Column(.region, "c-country"),
      .measured(.upstream, "origin-fbl", in: "s"),
    ]
  }

  /// Fields in the order of the document; the rest is not read.
  static var cloudfront: ColumnMapping {
    var mapping = ColumnMapping(
      name: "cloudfront", records: .extendedLog,
      columns: [Column(.date, "date"), Column.instant(.serverTime, "time")] + cloudfrontColumns)
    mapping.needsAll = false
    mapping.rest = .refused
    mapping.ignored = Set(
      """
      asn c-ip-version c-port cache-behavior-path-pattern cs(cookie) cs(host) cs(referer)
      cs(user-agent) cs-bytes cs-method cs-protocol cs-protocol-version distributionid
      distribution-tenant-id connection-id fle-encrypted-fields fle-status origin-lbl sc-content-len
      sc-content-type sc-range-end sc-range-start ssl-cipher ssl-protocol timestamp timestamp(ms)
      x-edge-detailed-result-type x-edge-request-id x-edge-response-result-type x-edge-mqcs
      x-host-header r-host sr-reason
      """.words)
    mapping.foldsNames = true
    mapping.source =
      "Amazon CloudFront Developer Guide, standard logging reference: 33 fields (read 2026-11)"
    return mapping
  }

  /// Keys of CMCD that the real-time log takes apart.
  private static let realtimeKeys = [
    ("encoded-bitrate", "br"), ("buffer-length", "bl"), ("buffer-starvation", "bs"),
    ("content-id", "cid"), ("object-duration", "d"), ("deadline", "dl"),
    ("measured-throughput", "mtp"), ("next-object-request", "nor"), ("next-range-request", "nrr"),
    ("object-type", "ot"), ("playback-rate", "pr"), ("requested-maximum-throughput", "rtp"),
    ("streaming-format", "sf"), ("session-id", "sid"), ("stream-type", "st"), ("startup", "su"),
    ("top-bitrate", "tb"), ("version", "v"),
  ]

  /// A real-time log has no line with names: they are those of its configuration, in this order.
  static let realtimeFields = """
    timestamp c-ip s-ip time-to-first-byte sc-status sc-bytes cs-method cs-protocol cs-host
    cs-uri-stem cs-bytes x-edge-location x-edge-request-id x-host-header time-taken
    cs-protocol-version c-ip-version cs-user-agent cs-referer cs-cookie cs-uri-query
    x-edge-response-result-type x-forwarded-for ssl-protocol ssl-cipher x-edge-result-type
    fle-encrypted-fields fle-status sc-content-type sc-content-len sc-range-start sc-range-end
    c-port x-edge-detailed-result-type c-country cs-accept-encoding cs-accept
    cache-behavior-path-pattern cs-headers cs-header-names cs-headers-count
    primary-distribution-id primary-distribution-dns-name origin-fbl origin-lbl asn
    cmcd-encoded-bitrate cmcd-buffer-length cmcd-buffer-starvation cmcd-content-id
    cmcd-object-duration cmcd-deadline cmcd-measured-throughput cmcd-next-object-request
    cmcd-next-range-request cmcd-object-type cmcd-playback-rate cmcd-requested-maximum-throughput
    cmcd-streaming-format cmcd-session-id cmcd-stream-type cmcd-startup cmcd-top-bitrate
    cmcd-version r-host sr-reason x-edge-mqcs distribution-tenant-id connection-id
    """.words

  static var cloudfrontRealtime: ColumnMapping {
    var mapping = ColumnMapping(
      name: "cloudfront-realtime", records: .delimited(0x09, hasQuotes: false),
      columns: [Column.instant(.serverTime, "timestamp")] + cloudfrontColumns
        + [Column(.address, "s-ip")]
        + realtimeKeys.map { Column(.cmcd, "cmcd-\($0.0)", isEncoded: true, key: $0.1) })
    mapping.header = realtimeFields
    mapping.needsAll = false
    mapping.rest = .refused
    let read = Set(mapping.columns.map(\.name))
    mapping.ignored = Set(realtimeFields.filter { !read.contains($0) })
    mapping.source =
      "Amazon CloudFront Developer Guide, real-time logs: 69 fields in order (read 2026-11)"
    return mapping
  }

  /// The common log and the combined one; what follows is `x1`, `x2`, …
  static var common: ColumnMapping {
    var mapping = ColumnMapping(
      name: "common", records: .commonLog,
      columns: [
        Column(.address, "host"), .instant(.serverTime, "date"), Column(.request, "request"),
        Column(.status, "status"), .measured(.bytes, "bytes", in: "B"),
      ])
    mapping.needsAll = false
    mapping.source =
      "Apache HTTP Server 2.4, mod_log_config: %h %l %u %t \"%r\" %>s %b, as nginx, Varnish and "
      + "Fastly write it, too"
    return mapping
  }

  /// Members under the names of the servers' own variables and of Fastly's examples. Others may be
  /// anything and are named in a note.
  static var jsonLog: ColumnMapping {
    var mapping = ColumnMapping(
      name: "json-log", records: .jsonLines,
      columns: [
        .instant(.serverTime, "time_iso8601"), .instant(.serverTime, "msec"),
        .instant(.serverTime, "timestamp"), .instant(.serverTime, "time"),
        Column(.address, "remote_addr"), Column(.address, "client_ip"),
        Column(.request, "request"), Column(.url, "request_uri"), Column(.url, "uri"),
        Column(.url, "url"), Column(.query, "args"), Column(.query, "query_string"),
        Column(.status, "status"), Column(.status, "response_status"),
        .measured(.bytes, "bytes_sent", in: "B"),
        .measured(.bytes, "body_bytes_sent", in: "B"),
        .measured(.bytes, "response_body_size", in: "B"),
        .measured(.duration, "request_time", in: "s"),
        .measured(.upstream, "upstream_response_time", in: "s"),
        .measured(.duration, "time_elapsed", in: "us"),
        Column(.cache, "upstream_cache_status"), Column(.cache, "cache_status"),
        Column(.cache, "cache-status"), Column(.serverTiming, "server_timing"),
        Column(.serverTiming, "server-timing"),
        .measured(.roundTrip, "tcpinfo_rtt", in: "us"),
        Column(.region, "geo_country"), Column(.edge, "pop"), Column(.edge, "server_datacenter"),
        Column(.cmcd, "cmcd"), Column(.cmcd, "http_cmcd_object"),
        Column(.cmcd, "http_cmcd_request"), Column(.cmcd, "http_cmcd_session"),
        Column(.cmcd, "http_cmcd_status"),
      ])
    mapping.needsAll = false
    mapping.source =
      "nginx 1.28, alphabetical index of variables; Fastly, JSON log format (time_elapsed in us)"
    return mapping
  }
}
