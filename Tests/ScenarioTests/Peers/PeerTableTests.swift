import Testing

@testable import Scenario

@Suite("Peer tables")
struct PeerTableTests {
  @Test func `members keep their order, and only numbers have a mean`() {
    var table = PeerTable(identity: ["trace"], columns: ["z", "levels", "a"])
    table.append(PeerRow(names: ["x\"y"], values: [.integer(3), .text("01"), .number(0.1)]))
    table.append(PeerRow(names: ["u"], values: [.integer(4), .text("2"), .number(0.2)]))
    #expect(
      table.json().text(indent: 0)
        == #"{"schema":1,"rows":[{"trace":"x\"y","z":3,"levels":"01","a":0.1},"#
        + #"{"trace":"u","z":4,"levels":"2","a":0.2}],"#
        + #""mean":{"z":3.5,"a":0.15000000000000002}}"#)
  }

  @Test func `a table without rows has no mean`() {
    let table = PeerTable(identity: [], columns: ["a"])
    #expect(table.json().text(indent: 0) == #"{"schema":1,"rows":[],"mean":{}}"#)
  }
}
