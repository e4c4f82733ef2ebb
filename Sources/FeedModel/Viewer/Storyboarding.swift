import FeedPolicy

/// What only some sessions ever have: a storyboard that is looked at.
struct Storyboarding {
  var sprites = SpriteCache()
  var scrub = ScrubSession()
}
