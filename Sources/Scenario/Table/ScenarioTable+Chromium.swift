/// A browser of a machine without a screen of its own, as a class of devices.
extension ScenarioTable {
  /// Its laws are those of results/calibration/chromium-mse.yaml, which
  /// `firstframe calibrate --from-live` wrote; a test holds them to it.
  static let chromium = DeviceDefaults(
    word: "chromium",
    summary: "Headless Chromium that decodes in software, on two cores; no phone",
    creation: law(
      "5.73, 10.17, 10.9, 11.1, 11.34, 11.66, 11.92, 12.8, 13, 13.54, 14, 14.26, "
        + "14.86, 15.38, 15.64, 16.24, 17.1, 17.31, 18.51, 22.31, 33.24"),
    setup: law(
      "1.19, 1.66, 2, 2.28, 2.4, 2.7, 2.8, 3.12, 3.38, 3.78, 4.2, 4.5, 4.92, 5.26, "
        + "5.64, 6.3, 7.72, 9.6, 10.86, 13.34, 17.04"),
    reuse: law(
      "0.9, 1.41, 1.9, 2, 2.1, 2.3, 2.43, 2.6, 2.7, 2.8, 3, 3.2, 3.36, 3.5, 3.8, 4.1, "
        + "5.1, 5.6, 6.98, 8.67, 12.55"),
    decode: law(
      "0, 0, 0.6, 1.07, 1.4, 1.83, 2, 2.2, 2.4, 2.6, 2.9, 3.27, 3.7, 4.2, 4.6, 5.17, "
        + "5.8, 6.73, 7.5, 10.17, 14.37"),
    limit: "16", memory: "16600 kB",
    retarget: law(
      "6.24, 8.32, 9.59, 10.06, 10.45, 11.22, 11.76, 12.28, 12.61, 13.51, 14, 14.74, "
        + "15.34, 15.94, 16.58, 17.2, 18.69, 20.69, 22.91, 27.58, 37.63"),
    attach: law(
      "1.56, 2.79, 4.21, 4.71, 5.67, 7.4, 8.43, 9.34, 11.69, 12.85, 14.27, 16.09, "
        + "17.01, 18.2, 20.76, 23.3, 26.81, 28.71, 30.21, 32.63, 36.41"),
    refresh: "0 ms", source: "0 ms", stress: ("0", "0", "0"), composition: "0",
    creationHeld: law(
      "0.3, 0.4, 0.4, 0.5, 0.6, 0.7, 0.7, 0.8, 0.88, 0.94, 1, 1.2, 1.3, 1.4, 1.5, 1.6, "
        + "1.76, 2, 2.16, 2.96, 5.02"),
    measured: "docs/decisions/0031, results/calibration/chromium-mse.yaml")

  /// An element of it that loads HLS by itself: results/calibration/chromium-native.yaml.
  static let chromiumNative = DeviceDefaults(
    word: "chromium-native",
    summary: "Headless Chromium whose elements load HLS by themselves, on two cores; no phone",
    creation: law(
      "0.86, 1.3, 1.8, 2, 2.2, 2.3, 2.6, 2.7, 3, 3.11, 3.5, 3.8, 4.18, 4.78, 6, "
        + "8.74, 9.64, 10.6, 12.35, 15.7, 25.71"),
    setup: law(
      "5.44, 9.74, 12.3, 13.78, 14.64, 15.4, 17.16, 18.22, 19.2, 19.58, 20.6, "
        + "21.94, 22.87, 23.94, 25.46, 28.56, 31.71, 37.54, 54.15, 91.65, 194.39"),
    reuse: law(
      "11.18, 13.2, 14.8, 15.9, 16.8, 17.17, 17.7, 18.3, 18.9, 19.7, 20.5, 21.4, "
        + "22.24, 23.43, 24.53, 26.32, 29.1, 30.82, 39.16, 54.81, 155.39"),
    decode: law(
      "0, 0, 0, 0, 0, 0, 0, 0, 0, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.2, "
        + "0.2, 0.3, 1.6"),
    limit: "16", memory: "16600 kB",
    retarget: law(
      "2.39, 3.51, 5.08, 6.37, 7.14, 7.63, 8.22, 8.75, 9.64, 10.22, 10.61, "
        + "11.06, 12.13, 12.79, 13.68, 14.51, 15.7, 17, 19.85, 25.14, 40.91"),
    attach: law(
      "1.38, 2.44, 3.64, 4.73, 6.07, 6.97, 8.51, 9.62, 10.81, 11.78, 13.27, "
        + "14.16, 15.67, 16.96, 19, 21.88, 25.82, 27.42, 29.36, 31.92, 36.37"),
    refresh: "0 ms", source: "0 ms",
    stress: ("0", "0.224837", "0"),
    composition: "0",
    creationHeld: law(
      "0.2, 0.3, 0.4, 0.4, 0.4, 0.5, 0.5, 0.6, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, "
        + "1.25, 1.4, 1.5, 1.7, 2.1, 3.2"),
    measured: "docs/decisions/0031, results/calibration/chromium-native.yaml")

  /// The empirical law of some milliseconds.
  private static func law(_ milliseconds: String) -> String {
    let values = milliseconds.split(separator: ",").map { "\($0.drop { $0 == " " }) ms" }
    return "{kind: empirical, values: [\(values.joined(separator: ", "))]}"
  }
}
