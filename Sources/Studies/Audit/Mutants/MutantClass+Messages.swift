extension MutantClass {
  /// Of asynchronous video messages.
  static let messages: [MutantClass] = [
    fixed(
      "polls-off", "Nobody polls",
      [
        "messages.protocol.pollsAtStart": "false", "messages.protocol.onPush": "nothing",
        "messages.protocol.trackedInterval": "0 s", "messages.protocol.idleInterval": "0 s",
      ]),
    fixed(
      "polls-every-second", "Clients poll every second",
      [
        "messages.protocol.trackedInterval": "1 s", "messages.protocol.idleInterval": "1 s",
      ]),
    fixed("push-off", "No push arrives", ["messages.push.loss": "1"]),
    fixed("push-loss-20", "Every fifth push is lost", ["messages.push.loss": "0.2"]),
    fixed("push-empty", "A push carries nothing", ["messages.protocol.payload": "empty"]),
    later(30, at: "messages.network.oneWay", share: 0.5),
    later(100, at: "messages.network.oneWay", share: 0.5),
    fixed("loss-2", "Two requests in a hundred are lost", ["messages.network.loss": "0.02"]),
    slower(
      "transfer-slow", "Transfers take twice as long", factor: 2,
      at: ["messages.network.transfer"]),
    fixed(
      "missing-is-viewed", "What a packet leaves out counts as viewed",
      ["messages.protocol.missing": "viewed"]),
    fixed(
      "cleanup-on-view", "A video is removed as soon as it is viewed",
      ["messages.protocol.cleanup": "{kind: on-view}"]),
    fixed(
      "report-for-pair", "A report speaks of the last video between two",
      ["messages.protocol.identity": "pair"]),
    fixed(
      "reports-lost", "Reports do not survive the process",
      ["messages.protocol.keepsReports": "false"]),
    fixed(
      "addresses-signed", "A push carries signed addresses with a token",
      ["messages.protocol.addresses": "presigned-with-token"]),
    fixed(
      "proxied", "Videos go through the service", ["messages.protocol.upload": "proxied"]),
  ]
}
