/// The HSDPA logs of Riiser et al. 2013 (MMSys, "Commute path bandwidth traces from 3G networks";
/// datasets.simula.no/hsdpa-tcp-logs): a ``MeasurementLog`` whose clock is in seconds since 1970.
enum NorwayFormat: TraceFormatReader {
  static let summary = "six columns: Unix s, ms, latitude, longitude, bytes, ms since the last row"
  static let defaultEnd = TraceEnd.loop
  private static let log = MeasurementLog(
    format: .norway3G,
    clock: TraceQuantity(
      key: "time_s", unit: "seconds", limit: 1e11, hint: "milliseconds, as in belgium-4g"),
    earliest: 1e8)

  static func fits(_ sample: TraceSample) -> Bool { log.fits(sample) }

  static func read(
    _ text: TraceText, _ options: TraceOptions, _ report: inout TraceReport
  ) -> [TraceRows] {
    log.read(text, &report)
  }
}
