/// A hash that others know, such as a browser that is told what a script has to be.
public enum StandardHash {
  /// The 32 bytes of SHA-256 (FIPS 180-4).
  public static func sha256(of message: some Sequence<UInt8>) -> [UInt8] {
    SHA256.bytes(of: message)
  }
}
