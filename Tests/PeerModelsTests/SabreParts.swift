@testable import PeerModels

/// A film of 1 s segments that take exactly their bit rate; kbit/s.
func sabreFilm(_ bitrates: [Double], segments: Int) -> SabreMovie {
  SabreMovie(
    segmentDuration: 1000, bitrates: bitrates,
    sizes: [[Double]](repeating: bitrates.map { 1000 * $0 }, count: segments))
}

/// A network of rows of ms, kbit/s and ms.
func sabreNetwork(_ rows: (Double, Double, Double)...) -> SabreNetwork {
  SabreNetwork(rows.map { SabrePeriod(duration: $0.0, bandwidth: $0.1, latency: $0.2) })
}

/// A policy's view with a buffer of `buffer` ms, in the middle of a long film.
func sabreView(
  buffer: Double, throughput: Double = 1000, latency: Double = 0, segment: Int = 100
) -> SabreView {
  SabreView(
    segment: segment, segmentCount: 200, buffer: buffer, throughput: throughput,
    latency: latency)
}

/// Every download of a session, and what it comes to.
func sabrePlay(
  _ movie: SabreMovie, _ network: SabreNetwork, _ options: SabreOptions
) -> (downloads: [SabreDownload], outcome: SabreOutcome) {
  var session = SabreSession(movie, over: network, options: options)
  var downloads: [SabreDownload] = []
  while let download = session.next() { downloads.append(download) }
  return (downloads, session.outcome)
}
