import MediaUnits
import Models
import Scenario
import Telemetry

/// What the stand-in states of its objects (`CMSD-Static`, CTA-5006).
extension StandinCatalogue {
  /// How the stand-in calls itself.
  static let serverName = "firstframe-standin"

  /// - Parameter resource: of an object that there is.
  func serverData(_ resource: MediaLayout.Resource) -> CMSDObject {
    var object = CMSDObject()
    object.name = StandinCatalogue.serverName
    object.format = "h"
    object.streamType = "v"
    object.objectType = "m"
    guard case .item(let item, let title, _) = resource else { return object }
    switch item {
    case .masterPlaylist, .mediaPlaylist: break
    case .storyboard, .sprite, .poster: object.objectType = "o"
    case .initSegment(let rendition):
      object.objectType = "i"
      object.bitrate = rate(rendition)
    case .segment(let rendition, let index):
      let hasAudio = contents.configuration.audioRate != nil
      object.objectType = rendition == .audio ? "a" : hasAudio ? "v" : "av"
      object.bitrate = rate(rendition)
      object.duration = contents.length(of: index, title: title).seconds
      if index + 1 < contents.entry(title).segmentCount {
        let next = MediaLayout.Item.segment(rendition, index: index + 1)
        let path = MediaLayout.path(.item(next, title: title, version: 1))
        object.next = path.split(separator: "/").last.map { String($0) }
      }
    }
    return object
  }

  /// Bits per second.
  private func rate(_ rendition: MediaLayout.Rendition) -> Double? {
    switch rendition {
    case .audio: contents.configuration.audioRate.map { Double($0.bitsPerSecond) }
    case .video(let rung):
      Double(contents.configuration.ladder[RungIndex(UInt32(rung))].bitsPerSecond)
    }
  }
}
