import MediaUnits

/// What clients are told, and what is cleaned up.
extension MessageServer {
  /// All that the server knows for a client (TBM-036): a projection of the table.
  public func packet(for client: ClientID) -> InfoPacket {
    var packet = InfoPacket(version: version, hasAllUploads: true)
    guard Int(client.index) < rows.count else { return packet }
    let row = rows[Int(client.index)]
    for place in row.outgoing {
      let entry = slab[Int(place)]
      packet.uploads.append(.init(video: entry.video, status: entry.status))
    }
    for place in row.incoming {
      let entry = slab[Int(place)]
      if entry.status == .pending || entry.status >= .downloaded { continue }
      let limit = configuration.downloadsPerPacket
      if limit > 0 && packet.downloads.count == limit {
        packet.remaining += 1
      } else {
        packet.downloads.append(.init(video: entry.video, sender: entry.sender))
      }
    }
    return packet
  }

  mutating func poll(_ client: ClientID, _ token: UInt32, into commands: inout [Command]) {
    let packet = packet(for: client)
    polls += 1
    pollBytes += packet.bytes(configuration.addresses)
    reads +=
      configuration.keepsPackets
      ? 1 : Swift.max(1, packet.uploads.count + packet.downloads.count + packet.remaining)
    commands.append(.packet(token, packet))
  }

  /// Tells a client of the change of one video. A payload that a push cannot carry goes as an empty
  /// one, upon which the client polls.
  mutating func push(
    to client: ClientID, about place: Int, into commands: inout [Command]
  ) {
    var packet = payload(for: client, about: slab[place])
    if packet.bytes(configuration.addresses) > InfoPacket.pushLimit {
      oversized += 1
      packet = InfoPacket(version: version)
    }
    pushes += 1
    pushBytes += packet.bytes(configuration.addresses)
    commands.append(.push(client, packet))
  }

  private func payload(for client: ClientID, about entry: Entry) -> InfoPacket {
    switch configuration.payload {
    case .empty: return InfoPacket(version: version)
    case .full: return packet(for: client)
    case .trigger, .pending:
      var packet = InfoPacket(version: version)
      if entry.sender == client {
        packet.uploads.append(.init(video: entry.video, status: entry.status))
      }
      if configuration.payload == .pending {
        packet.downloads = self.packet(for: client).downloads
      } else if entry.recipient == client && entry.status < .downloaded {
        packet.downloads.append(.init(video: entry.video, sender: entry.sender))
      }
      return packet
    }
  }

  // MARK: Cleanup

  mutating func expire(at now: Instant, into commands: inout [Command]) {
    guard case .after(let span) = configuration.cleanup else { return }
    for place in byName.reversed() {
      if now.elapsed(saturatingSince: slab[Int(place)].since) < span { continue }
      remove(Int(place), deletes: true, into: &commands)
    }
  }

  /// Registers what lies in the store and nobody has registered (TBM-049), and deletes what is
  /// over.
  mutating func sweep(
    _ found: [StoredVideo], at now: Instant, into commands: inout [Command]
  ) {
    for stored in found where now.elapsed(saturatingSince: stored.since) >= configuration.strayAge {
      if stored.sender.index >= MessageServer.clientLimit
        || stored.recipient.index >= MessageServer.clientLimit
      {
        refusals += 1
        continue
      }
      reads += 1
      if register(stored, into: &commands) != nil { strays += 1 }
    }
  }
}
