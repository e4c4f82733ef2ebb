import CachePolicy
import MediaUnits
import SimulationKernel

/// An object that viewers who are not simulated ask for, and how.
struct LawfulObject {
  let object: UInt32
  let asset: AssetClass
  /// Whose views they are: of a version, the title that was published again.
  let title: UInt32
  /// Tells the cache keys of one object apart: where its draws begin.
  let firstDraw: UInt32
  /// Views of its title by the whole audience at one edge, for one cache key, per second of
  /// stretched time.
  let views: Double
  /// Requests for the object in one view.
  let perView: Double
  /// Seconds from a view's first request to the one for the object, in the mean.
  let delay: Double
  /// Nobody had it when it was first asked for: a crowd's title, or a version.
  let isNew: Bool
  /// Seconds of the run in which it is asked for; from minus infinity: before it, too.
  let from: Double
  let until: Double
  /// When the view asked for it that has brought the manifest which names it; nil where none has.
  var firstAsked: Double?
  /// Of a crowd's new title: who may still view it.
  var unseen: UnseenShare?

  /// Requests per second of stretched time at one edge, in the long run.
  var rate: Double { views * perView * (unseen?.lasting ?? 1) }

  /// Objects of one group are asked for by the same views.
  var group: UInt32 { ObjectLayout.group(of: object % ObjectLayout.stride) }

  /// Whether a view asks for it, where a share of the requests can have come yet.
  func isAsked(by view: OthersView, within share: Double = 1) -> Bool {
    view.asks(perView * share, group: group)
  }

  /// So much later than views themselves are what is told of them, seconds. Not so for what is new:
  /// there the share of the requests rises that can have come.
  var shift: Double { isNew ? 0 : delay }
}

/// Since when the manifest at a node has named a title's version.
struct VersionArrival {
  /// Seconds of the run; infinity where it is not known.
  var since = Double.infinity
  /// Somebody who is not simulated waited for that manifest, and goes on with what it names.
  var isAwaited = false
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
