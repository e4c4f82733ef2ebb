import MediaUnits
import Models

/// The body of a batch of events, as `POST /v1/events` takes it (SIG-049).
///
/// The world knows how many bytes its batch has; the body has an id of its own, by which a server
/// tells a repetition, and is filled up with blanks, which JSON allows, to that size.
enum EventBody {
  static func text(_ request: OutsideRequest) -> [UInt8] {
    let token = request.token
    var text = Array(
      "{\"batch\":\"\(token.session)-\(token.index)-\(token.generation)\",\"events\":[]".utf8)
    while text.count + 1 < Int(request.bodyBytes) { text.append(UInt8(ascii: " ")) }
    text.append(UInt8(ascii: "}"))
    return text
  }
}
