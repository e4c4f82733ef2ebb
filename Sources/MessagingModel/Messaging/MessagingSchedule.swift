import MediaUnits

/// What a user or the environment does at a step of a schedule.
public enum MessagingAction: Sendable, Equatable {
  /// A client sends a video to another.
  case send(from: UInt32, to: UInt32)
  /// The user of a client looks at the oldest video that waits.
  case view(UInt32)
  /// The user opens the app, or leaves it.
  case open(UInt32)
  case leave(UInt32)
  /// The process is ended; what was not saved is gone.
  case kill(UInt32)
  /// The client has HTTP, or none.
  case connect(UInt32, Bool)
  /// The push channel of a client works, or is blocked (TBM-047).
  case pushes(UInt32, Bool)
  case fault(Fault)
}

/// What the message protocol promises, and what a search must have seen.
public enum MessagingProperty: UInt8, ProtocolProperty {
  case noFalseView
  case statusRises
  case statusIsTrue
  case offeredOnce
  case oneTrackedPerPair
  case noReturn
  case pushFits
  case shownAsSentWhenKnown
  case viewedTwiceNever
  case failureIsTrue
  case latestArrives
  case statusConverges
  case nothingStuck
  case noOrphans
  case pushLostPollFound
  case packetFromBeforeRegistration
  case doubledRegistration
  case lateRegistration
  case reportOfUntracked
  case goneWhileLoading
  case restartWithErrands
  case coalescedPush
  case staleReadSeen
  case reportRepeated
  case strayFound
  case replacedBeforeView
  case viewedKnown
  case crashAfterWrite

  public var kind: PropertyKind {
    switch self {
    case .noFalseView, .statusRises, .statusIsTrue, .offeredOnce, .oneTrackedPerPair, .noReturn,
      .pushFits, .shownAsSentWhenKnown, .viewedTwiceNever, .failureIsTrue:
      return .always
    case .latestArrives, .statusConverges, .nothingStuck, .noOrphans: return .eventually
    default: return .sometimes
    }
  }

  public var name: StaticString {
    switch self {
    case .noFalseView: return "no-false-view"
    case .statusRises: return "status-rises"
    case .statusIsTrue: return "status-is-true"
    case .offeredOnce: return "offered-once"
    case .oneTrackedPerPair: return "one-tracked-per-pair"
    case .noReturn: return "no-return"
    case .pushFits: return "push-fits"
    case .shownAsSentWhenKnown: return "shown-as-sent-when-known"
    case .viewedTwiceNever: return "viewed-twice-never"
    case .failureIsTrue: return "failure-is-true"
    case .latestArrives: return "latest-arrives"
    case .statusConverges: return "status-converges"
    case .nothingStuck: return "nothing-stuck"
    case .noOrphans: return "no-orphans"
    case .pushLostPollFound: return "push-lost-poll-found"
    case .packetFromBeforeRegistration: return "packet-from-before-registration"
    case .doubledRegistration: return "doubled-registration"
    case .lateRegistration: return "late-registration"
    case .reportOfUntracked: return "report-of-untracked"
    case .goneWhileLoading: return "gone-while-loading"
    case .restartWithErrands: return "restart-with-errands"
    case .coalescedPush: return "coalesced-push"
    case .staleReadSeen: return "stale-read-seen"
    case .reportRepeated: return "report-repeated"
    case .strayFound: return "stray-found"
    case .replacedBeforeView: return "replaced-before-view"
    case .viewedKnown: return "viewed-known"
    case .crashAfterWrite: return "crash-after-write"
    }
  }

  public var statement: StaticString {
    switch self {
    case .noFalseView: return "no sender sees viewed before the recipient has viewed"
    case .statusRises: return "the status that a sender sees never falls"
    case .statusIsTrue: return "no sender sees a status that the video has not reached"
    case .offeredOnce: return "a recipient is offered each video once"
    case .oneTrackedPerPair: return "the server tracks one stored video for each ordered pair"
    case .noReturn: return "a video that the server has forgotten is never tracked again"
    case .pushFits: return "a push is at most 4,096 bytes"
    case .shownAsSentWhenKnown: return "a video is shown as sent once the service knows of it"
    case .viewedTwiceNever: return "no video is viewed twice by its recipient"
    case .failureIsTrue: return "no video that the service has is shown as failed"
    case .latestArrives: return "the latest video of each pair reaches its recipient"
    case .statusConverges: return "each sender sees the true status of its latest videos"
    case .nothingStuck: return "no errand and no untrue status is left"
    case .noOrphans: return "the store holds no video that nobody tracks"
    case .pushLostPollFound: return "a push was lost and a poll brought the news"
    case .packetFromBeforeRegistration: return "a packet from before a registration came after"
    case .doubledRegistration: return "the server got a registration twice"
    case .lateRegistration: return "a registration came after a later one of the pair"
    case .reportOfUntracked: return "a report named a video that is not tracked"
    case .goneWhileLoading: return "a video was deleted while it was being downloaded"
    case .restartWithErrands: return "a process was ended with errands and went on with them"
    case .coalescedPush: return "a held push took the place of an earlier one"
    case .staleReadSeen: return "a poll was answered by a replica that was behind"
    case .reportRepeated: return "a report was repeated"
    case .strayFound: return "a sweep registered a video that nobody had"
    case .replacedBeforeView: return "a video was replaced before it was viewed"
    case .viewedKnown: return "a sender learnt of a view"
    case .crashAfterWrite: return "the server stopped between a write and its answer"
    }
  }
}

/// The kinds of messages in a diagram of this protocol.
public enum MessagingLabel: UInt8, Sendable, CaseIterable {
  case intent, store, register, submit, download, report, acknowledge, delete, poll
  case answer, packet, push, storeEvent, failure

  public var name: StaticString {
    switch self {
    case .intent: return "announce"
    case .store: return "put"
    case .register: return "uploaded"
    case .submit: return "submit"
    case .download: return "get"
    case .report: return "report"
    case .acknowledge: return "acknowledge"
    case .delete: return "delete"
    case .poll: return "poll"
    case .answer: return "answer"
    case .packet: return "packet"
    case .push: return "push"
    case .storeEvent: return "stored"
    case .failure: return "failure"
    }
  }
}
