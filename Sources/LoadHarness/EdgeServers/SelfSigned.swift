extension EdgeServerPolicy.Certificate {
  /// Makes a key and a certificate for a week with the program `openssl`: P-256, as small as they
  /// come, since a handshake's length is part of what is measured.
  ///
  /// - Parameters:
  ///   - folder: gets `chain.pem` and `key.pem`.
  ///   - addresses: IP addresses that it names, beside `localhost`.
  public static func selfSigned(
    in folder: String, addresses: [String]
  ) throws(HarnessFailure) -> Self {
    guard let program = ProgramPath.find("openssl") else {
      throw HarnessFailure(
        .missing,
        "openssl: expected the program on PATH, got none; install it: apt-get install openssl")
    }
    let made = Self(chain: "\(folder)/chain.pem", key: "\(folder)/key.pem")
    let names = ["DNS:localhost"] + addresses.map { "IP:\($0)" }
    try Subprocess.run([
      program, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
      "-nodes", "-days", "7", "-subj", "/CN=localhost", "-addext",
      "subjectAltName=\(names.joined(separator: ","))", "-keyout", made.key, "-out", made.chain,
    ])
    return made
  }
}
