import Models

extension ResultForms {
  /// Of a mixed feed; zeros for other feeds.
  static let surface = ResultForm<SurfaceMeasures>([
    .count("sessionNanoseconds", "time of the sessions") { $0.sessionTime },
    .count("movingNanoseconds", "of it, time in which a list moved") { $0.movingTime },
    .count("gestures", "flings, drags and pushes sideways") { $0.gestures },
    .count("settles", "flings that came to rest by themselves") { $0.settles },
    .count("settleNanoseconds", "time that they took, summed") { $0.settleTime },
    .count("plays", "cards told to play") { $0.plays },
    .count("pauses", "cards told to pause") { $0.pauses },
    .count("turns", "plays that came to their end or their preview's") { $0.turns },
    .count("playNanoseconds", "time that cards played, summed") { $0.playTime },
    .count("stallNanoseconds", "time that cards stalled after their start, summed") {
      $0.stallTime
    },
    .count("handOvers", "plays that took over from a card on its way out") { $0.handOvers },
    .count("flaps", "plays within a second after a pause that nobody asked for") { $0.flaps },
    .count("mostPlaying", "most cards of one viewer that played at once") { $0.mostPlaying },
    .count("starvedPlays", "plays that found no player") { $0.starvedPlays },
    .count("mounts", "cards given a player") { $0.mounts },
    .count("unmounts", "cards whose player was taken") { $0.unmounts },
    .count("flingMounts", "mounts above two viewports per second") { $0.flingMounts },
    .count("binds", "cells bound to a widget") { $0.binds },
    .count("cellCreates", "of those, cells created for it") { $0.cellCreates },
    .count("messages", "messages over the bridge") { $0.messages },
    .count("frameMessages", "messages if every frame's sights were sent") { $0.frameMessages },
    .count("crossingMessages", "messages if threshold crossings were sent") {
      $0.crossingMessages
    },
    .count("mainThreadMicroseconds", "work of the main thread") { $0.mainThread },
    .count("starvations", "times that a viewer came to the end of the known feed") {
      $0.starvations
    },
  ])
}
