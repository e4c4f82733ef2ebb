import AudienceModel
import ModelBasics
import SimulationKernel

/// Titles that stand for their neighbours.
extension FeedWorld {
  /// The title that is simulated in a title's place: itself in the head, one of its group in the
  /// tail.
  mutating func sampled(_ title: UInt32) -> UInt32 {
    if title < headTitles { return title }
    let (first, count) = configuration.scale.group(of: title, titles: catalogue.pointee.titles)
    let u = streams.uniform(.titleSample, entity: UInt64(first))
    let place = UInt32(u * Double(count))
    return first + (place < count ? place : count - 1)
  }
}
