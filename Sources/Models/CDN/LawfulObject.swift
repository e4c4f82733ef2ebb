import CachePolicy
import MediaUnits
import SimulationKernel

/// An object that viewers who are not simulated ask for, and how.
struct LawfulObject {
  let object: UInt32
  let asset: AssetClass
  /// Tells the cache keys of one object apart: where its draws begin.
  let firstDraw: UInt32
  /// Views of its title by the whole audience at one edge, for one cache key, per second of
  /// stretched time.
  let views: Double
  /// Requests for the object in one view.
  let perView: Double
  /// Seconds from a view's first request to the one for the object, in the mean.
  let delay: Double
  /// Seconds of the run in which it is asked for; from minus infinity: before it, too.
  let from: Double
  let until: Double

  /// Requests per second of stretched time at one edge.
  var rate: Double { views * perView }

  var title: UInt32 { object / ObjectLayout.stride }

  /// Objects of one rung are asked for by the same views.
  var group: UInt32 {
    let offset = object % ObjectLayout.stride
    switch offset {
    case ObjectLayout.playlists..<ObjectLayout.inits: return offset - ObjectLayout.playlists
    case ObjectLayout.inits..<ObjectLayout.sprites: return offset - ObjectLayout.inits
    case ObjectLayout.segments...:
      return (offset - ObjectLayout.segments) / UInt32(ObjectLayout.maximumSegments)
    case ObjectLayout.sprites..<ObjectLayout.segments: return 100
    default: return 101 + offset
    }
  }

  /// Whether a view asks for it.
  func isAsked(by view: OthersView) -> Bool { view.asks(perView, group: group) }
}

/// What an edge takes the next tier's copy of an object for.
///
/// Every cache behind an edge has one, renewed by the views of all edges behind that cache: all of
/// them are a function of the seed, so that nothing has to be known of other edges. What the
/// cache's answers to simulated requests say is taken over.
struct ShadowCopy {
  /// When the copy was made, seconds of the run.
  var madeAt: Double
  var isThere: Bool
  /// Everything up to this time is in it.
  var asOf: Double

  static let none = ShadowCopy(madeAt: 0, isThere: false, asOf: 0)
}
