/// The LTE logs of van der Hooft et al. 2016 (IEEE Communications Letters, "HTTP/2-based adaptive
/// streaming of HEVC video over 4G/LTE networks"; users.ugent.be/~jvdrhoof/dataset-4g): a
/// ``MeasurementLog`` whose clock is in milliseconds since 1970.
enum BelgiumFormat: TraceFormatReader {
  static let summary = "six columns: Unix ms, ms, latitude, longitude, bytes, ms since the last row"
  static let defaultEnd = TraceEnd.loop
  private static let log = MeasurementLog(
    format: .belgium4G, clock: TraceQuantity(key: "time_ms", unit: "milliseconds", limit: 1e14),
    earliest: 1.000_000_001e11)

  static func fits(_ sample: TraceSample) -> Bool { log.fits(sample) }

  static func read(
    _ text: TraceText, _ options: TraceOptions, _ report: inout TraceReport
  ) -> [TraceRows] {
    log.read(text, &report)
  }
}
