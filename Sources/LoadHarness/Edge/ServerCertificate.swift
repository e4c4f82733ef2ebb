import Foundation
import NIOSSL

/// The certificate and key of a server, from files or made at start.
public struct ServerCertificate: Sendable {
  /// Why there is none.
  public enum Failure: Error, Equatable {
    /// A file cannot be read.
    case missing(String)
    /// A file is no certificate or key.
    case unusable(String)
    /// The program `openssl` is not there or has failed.
    case noTool(String)
  }

  /// PEM files.
  public let certificatePath, keyPath: String
  /// The folder that goes away with it.
  private let folder: String?

  /// Those of the user.
  public init(certificatePath: String, keyPath: String) throws(Failure) {
    for path in [certificatePath, keyPath] where !FileManager.default.isReadableFile(atPath: path) {
      throw .missing(path)
    }
    self.certificatePath = certificatePath
    self.keyPath = keyPath
    folder = nil
  }

  private init(folder: String) {
    certificatePath = folder + "/certificate.pem"
    keyPath = folder + "/key.pem"
    self.folder = folder
  }

  /// One for `localhost` and the loopback addresses, signed by itself and good for a day, by the
  /// program `openssl`: P-256, as usual on the web.
  public static func selfSigned() throws(Failure) -> ServerCertificate {
    let folder = NSTemporaryDirectory() + "firstframe-tls-\(UUID().uuidString)"
    let made = ServerCertificate(folder: folder)
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .unusable(folder)
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
      "-nodes", "-days", "1", "-subj", "/CN=localhost", "-addext",
      "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1", "-keyout", made.keyPath, "-out",
      made.certificatePath,
    ]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { throw .noTool("openssl") }
    process.waitUntilExit()
    if process.terminationStatus != 0 {
      made.remove()
      throw .noTool("openssl")
    }
    return made
  }

  /// Removes files that were made.
  public func remove() {
    if let folder { try? FileManager.default.removeItem(atPath: folder) }
  }

  /// TLS settings of a server with it: TLS 1.2 and 1.3, HTTP/2 and HTTP/1.1 by ALPN.
  public func configuration() throws(Failure) -> TLSConfiguration {
    do {
      let chain = try NIOSSLCertificate.fromPEMFile(certificatePath)
      let key = try NIOSSLPrivateKey(file: keyPath, format: .pem)
      var made = TLSConfiguration.makeServerConfiguration(
        certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
      made.minimumTLSVersion = .tlsv12
      made.applicationProtocols = ["h2", "http/1.1"]
      return made
    } catch {
      throw .unusable(certificatePath)
    }
  }

  func context() throws -> NIOSSLContext { try NIOSSLContext(configuration: configuration()) }
}
