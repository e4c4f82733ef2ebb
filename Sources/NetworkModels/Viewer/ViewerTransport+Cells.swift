import MediaUnits
import SimulationKernel

/// A transport in a cell, whose capacity many viewers share.
extension ViewerTransport {
  /// Whether his cell has one queue for all.
  var isInQueue: Bool {
    cell >= 0 && profile.pointee.cell!.queue != nil && settings.pointee.model == .firstFrame
  }

  /// How the round trip weighs in the cell.
  var cellBias: Double {
    profile.pointee.cell!.bias.weight(roundTrip: roundTrip.nanoseconds)
  }

  /// Lets transfers whose time has come into the cell; what ends there by that waits to be told.
  ///
  /// - Parameter slot: by which the cell names the viewer.
  public mutating func enterCell(slot: UInt32, at now: Instant, _ cells: inout [Cell]) {
    if isInQueue {
      enterQueue(slot: slot, at: now, &cells)
      return
    }
    let bias = cellBias
    for index in 0..<link.flows.count {
      let flow = link.flows[index]
      if flow.joinAt > now.nanoseconds || flow.cellFlow >= 0 { continue }
      let number = cells[cell].take(Cell.Owner(slot: slot, request: UInt32(flow.request)))
      link.flows[index].cellFlow = number
      let bytes = flow.markAt >= 0 ? flow.remaining - flow.markAt : flow.remaining
      cells[cell].link.add(
        number, bytes: bytes > 0 ? bytes : 0, weight: flow.weight * bias, cap: rate,
        at: now.nanoseconds)
    }
    setCaps(slot: slot, at: now, &cells)
  }

  /// Gives each of the transfers in the cell its part of the viewer's own link as a cap; to a queue
  /// the answers that have been begun.
  ///
  /// - Parameter slot: by which the cell names the viewer.
  public mutating func setCaps(slot: UInt32, at now: Instant, _ cells: inout [Cell]) {
    if isInQueue {
      enterQueue(slot: slot, at: now, &cells)
      return
    }
    var weight = 0.0
    for index in 0..<link.flows.count where link.flows[index].cellFlow >= 0 {
      weight += link.flows[index].weight
    }
    for index in 0..<link.flows.count where link.flows[index].cellFlow >= 0 {
      let flow = link.flows[index]
      cells[cell].link.changeCap(
        flow.cellFlow, to: rate * flow.weight / weight, at: now.nanoseconds)
    }
  }

  /// A transfer has passed its mark or ended in the cell, as number `flow`.
  ///
  /// - Returns: what it lost to others, and whether it has ended; nil when there is none.
  public mutating func finishInCell(
    _ request: Int, flow: Int, at now: Instant
  ) -> (lost: Double, isEnd: Bool)? {
    for place in 0..<link.flows.count where link.flows[place].cellFlow == flow {
      receive(at: now)
      let lost = link.flows[place].lost
      if link.flows[place].markAt < 0 {
        _ = link.remove(request: request)
        return (lost, true)
      }
      // The rest follows, in a cell without a queue as a flow of its own.
      link.flows[place].remaining = link.flows[place].markAt
      link.flows[place].passMark(at: now.nanoseconds)
      if !isInQueue { link.flows[place].cellFlow = -1 }
      return (lost, false)
    }
    return nil
  }

  /// Wire bytes that the transfers still bring.
  func backlog(_ cells: inout [Cell]) -> Double {
    if isInQueue { return 0 }
    var sum = 0.0
    for index in 0..<link.flows.count {
      let flow = link.flows[index]
      if flow.cellFlow < 0 {
        if flow.remaining > 0 { sum += flow.remaining }
      } else {
        sum += cells[cell].link.remaining(of: flow.cellFlow)
        if flow.markAt >= 0 { sum += flow.markAt }
      }
    }
    return sum
  }

  /// A transfer in the cell counts more from now on: it has to enter anew.
  ///
  /// - Returns: whether it was there.
  mutating func enterAnew(_ request: Int, at now: Instant, _ cells: inout [Cell]) -> Bool {
    if isInQueue { return false }
    for index in 0..<link.flows.count where link.flows[index].request == request {
      let flow = link.flows[index]
      if flow.cellFlow < 0 { return false }
      link.flows[index].remaining = remaining(of: flow, at: now, &cells)
      link.flows[index].cellFlow = -1
    }
    return true
  }

  /// Takes a transfer off the link and the cell; nil when there is none.
  ///
  /// - Returns: wire bytes that have not come.
  public mutating func withdraw(
    _ request: Int, at now: Instant, cells: inout [Cell]
  ) -> Double? {
    guard let flow = link.remove(request: request) else { return nil }
    return remaining(of: flow, at: now, &cells)
  }

  /// Wire bytes of a transfer that have not come, as far as a player that takes parts can tell; nil
  /// when there is none.
  ///
  /// - Precondition: the link is that of `now`.
  public func left(of request: Int, at now: Instant, cells: inout [Cell]) -> Double? {
    for index in 0..<link.flows.count where link.flows[index].request == request {
      let flow = link.flows[index]
      if isInQueue {
        return flow.cellFlow < 0 ? flow.remaining : cells[cell].queue!.left(of: flow.cellFlow)
      }
      var rate = link.share(of: flow, at: now)
      var left = flow.remaining
      if cell >= 0 {
        cells[cell].link.advance(to: now.nanoseconds)
        if flow.cellFlow < 0 {
          let level = cells[cell].link.rateOfNewFlow(weight: flow.weight * cellBias) * 1.25e-10
          if level < rate { rate = level }
        } else {
          left = cells[cell].link.remaining(of: flow.cellFlow)
          if flow.markAt >= 0 { return flow.markAt + left }
          rate = cells[cell].link.rate(of: flow.cellFlow) * 1.25e-10
        }
      }
      return flow.spread(left, rate: rate, at: now.nanoseconds)
    }
    return nil
  }

  /// Wire bytes of a transfer that leaves the link; it leaves the cell, too.
  private func remaining(of flow: Flow, at now: Instant, _ cells: inout [Cell]) -> Double {
    if flow.cellFlow < 0 { return flow.remaining }
    if isInQueue {
      let left = cells[cell].queue!.left(of: flow.cellFlow)
      // The server learns of it, and then what it has sent before is through.
      cells[cell].queue!.withdraw(flow.cellFlow, at: (now + roundTrip).nanoseconds)
      return left
    }
    cells[cell].link.advance(to: now.nanoseconds)
    // One that has just ended is given back when its end is told.
    if !cells[cell].link.contains(flow.cellFlow) { return flow.markAt >= 0 ? flow.markAt : 0 }
    let left = cells[cell].link.remove(flow.cellFlow, at: now.nanoseconds)
    cells[cell].giveBack(flow.cellFlow)
    return flow.markAt >= 0 ? flow.markAt + left : left
  }

  /// No transfer uses the link or the cell before `time`.
  mutating func hold(until time: Int64, at now: Instant, _ cells: inout [Cell]) {
    for index in 0..<link.flows.count {
      let flow = link.flows[index]
      link.flows[index].remaining = remaining(of: flow, at: now, &cells)
      link.flows[index].cellFlow = -1
      if flow.joinAt < time { link.flows[index].joinAt = time }
    }
  }

  // MARK: A queue for all

  /// Gives the cell's queue what has been begun, and the present rate of the viewer's own link.
  private mutating func enterQueue(slot: UInt32, at now: Instant, _ cells: inout [Cell]) {
    let least = link.rate.mean * 1e-3
    let present = rate > least ? rate : least
    if queueLink >= 0 {
      cells[cell].queue!.changeLink(Int(queueLink), to: present)
    } else if link.count == 0 {
      return
    } else {
      queueLink = Int32(cells[cell].queue!.openLink(rate: present))
    }
    for index in 0..<link.flows.count where link.flows[index].cellFlow < 0 {
      let flow = link.flows[index]
      let connection = connection(of: flow.connection)
      leaveQueue(connection, isStale: true, &cells)
      if connection.pointee.queued < 0 {
        connection.pointee.queued = Int32(
          cells[cell].queue!.open(
            roundTrip: roundTrip(to: server(of: flow.connection)).nanoseconds,
            loss: connection.pointee.loss, link: Int(queueLink)))
      }
      var mark = 0.0
      if flow.markAt >= 0 { mark = flow.remaining > flow.markAt ? flow.remaining - flow.markAt : 1 }
      let number = cells[cell].queue!.begin(
        wire: flow.remaining, mark: mark, on: Int(connection.pointee.queued), at: flow.joinAt - 1)
      cells[cell].own(number, Cell.Owner(slot: slot, request: UInt32(flow.request)))
      link.flows[index].cellFlow = number
    }
  }

  /// The session is over: nothing of it stays in a queue.
  public mutating func leaveCell(_ cells: inout [Cell]) {
    if !isInQueue || queueLink < 0 { return }
    for server in servers {
      let host = host(server)
      for place in 0..<host.count {
        leaveQueue(host.connections + place, isStale: false, &cells)
      }
    }
    cells[cell].queue!.closeLink(Int(queueLink))
    queueLink = -1
  }

  /// Closes a connection in the queue, or only the one that was there before it.
  private func leaveQueue(
    _ connection: UnsafeMutablePointer<Connection>, isStale: Bool, _ cells: inout [Cell]
  ) {
    let number = connection.pointee.queued
    if number == -1 || isStale && number >= 0 { return }
    cells[cell].queue!.close(Int(number >= 0 ? number : -2 - number))
    connection.pointee.queued = -1
  }

  /// The connection of a number among the viewer's.
  private func connection(of number: Int) -> UnsafeMutablePointer<Connection> {
    host(server(of: number)).connections + number % Connection.perHost
  }

  /// The host of a connection of such a number.
  private func server(of number: Int) -> Server {
    Server(number: UInt8(number / Connection.perHost))
  }
}
