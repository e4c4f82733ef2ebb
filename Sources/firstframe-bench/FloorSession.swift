import MediaUnits
import Models

/// Who is in a session of the floor, and for how long, drawn as the world draws it.
struct FloorSession {
  let number: UInt32
  let edge: UInt32
  let persona: Int
  let endsAt: Instant

  init(_ number: UInt32, at now: Instant, _ setting: borrowing FloorSetting) {
    self.number = number
    edge = number % setting.edges
    persona = setting.persona(of: number)
    let length = setting.audience.pointee.sessionLength.quantile(
      setting.sources.streams.uniform(.sessionLength, entity: UInt64(number)))
    endsAt = now.advanced(saturatingBy: TimeSpan(seconds: length))
  }
}
