import MediaUnits

/// Seconds as playlists, ffmpeg and messages write them.
enum DecimalSeconds {
  /// `2` or `1.25`: with as many decimals as they need, at most nine.
  static func text(_ span: TimeSpan) -> String {
    let (whole, rest) = (span.nanoseconds / 1_000_000_000, span.nanoseconds % 1_000_000_000)
    if rest == 0 { return String(whole) }
    let digits = String(rest)
    var tail = Substring(String(repeating: "0", count: 9 - digits.count) + digits)
    while tail.hasSuffix("0") { tail = tail.dropLast() }
    return "\(whole).\(tail)"
  }
}
