extension MutantClass {
  /// Of interpreters' calls.
  static let calls: [MutantClass] = [
    fixed("relays-off", "No relay", ["calls.media.relays": "0"]),
    halved("relays-half", "Half the relays", at: ["calls.media.relays"]),
    later(30, at: "calls.network.oneWay", share: 0.5),
    later(100, at: "calls.network.oneWay", share: 0.5),
    fixed("loss-2", "Two packets in a hundred are lost", ["calls.quality.loss": "0.02"]),
    fixed(
      "repair-off", "Lost packets are neither asked for again nor covered by others",
      ["calls.quality.repeats": "false", "calls.quality.redundancy": "0"]),
    slower(
      "checking-slow", "Finding a path takes twice as long", factor: 2,
      at: ["calls.media.checking"]),
    fixed(
      "lock-broken", "Look, ask, change: two may win one interpreter",
      ["calls.protocol.lock": "check-then-act"]),
    fixed(
      "departure-literal", "Who has gone is called available",
      ["calls.protocol.departure": "{kind: literal}"]),
    fixed(
      "return-waits", "Nobody returns before the presence expires",
      ["calls.protocol.returning": "waiting"]),
    fixed(
      "heartbeat-fast", "A heartbeat every second", ["calls.protocol.heartbeat": "1 s"]),
    fixed(
      "heartbeat-slow", "A heartbeat only every minute", ["calls.protocol.heartbeat": "1 min"]),
    fixed(
      "presence-long", "A presence lives for two minutes",
      ["calls.protocol.presenceLife": "2 min"]),
    fixed(
      "timeouts-long", "Every time-out of a call is a minute",
      [
        "calls.protocol.timeouts.ring": "1 min", "calls.protocol.timeouts.offerAnswer": "1 min",
        "calls.protocol.timeouts.ice": "1 min", "calls.protocol.timeouts.connecting": "1 min",
      ]),
    fixed("retries-off", "A caller tries once", ["calls.audience.tries": "1"]),
  ]
}
