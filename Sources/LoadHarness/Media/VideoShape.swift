import MediaUnits

/// Picture size and codec of a rung: the heights of SIG-043 at their rates, others by the nearest
/// rates of common ladders (Apple, HLS authoring specification, appendix).
struct VideoShape: Equatable {
  let height: Int

  init(_ rate: BitRate) {
    let limits: [(Int64, Int)] = [
      (450_000, 240), (850_000, 360), (1_800_000, 480), (4_500_000, 720), (10_000_000, 1080),
    ]
    height = limits.first { rate.bitsPerSecond < $0.0 }?.1 ?? 2160
  }

  /// Even, as 16:9 is.
  var width: Int { (height * 16 / 9 + 1) / 2 * 2 }

  /// H.264 Main or High at the lowest level that holds the size at 30 frames a second (RFC 6381).
  var codec: String {
    switch height {
    case ...240: "avc1.4d4015"
    case ...360: "avc1.4d401e"
    case ...480: "avc1.4d401f"
    case ...720: "avc1.64001f"
    case ...1080: "avc1.640028"
    default: "avc1.640033"
    }
  }
}
