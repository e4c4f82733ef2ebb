import Testing

@testable import TidyKit

/// The texts of all tokens, for a quick comparison; string tokens in guillemets.
private func texts(_ source: String) -> [String] {
  Lexer.lex(Array(source.utf8)).tokens.map { $0.kind == .string ? "«\($0.text)»" : $0.text }
}

@Suite struct LexerTests {
  @Test func `a line comment gives no token and is kept with its line`() {
    let lexed = Lexer.lex(Array("let a = 1 // try! b\n/// doc\n".utf8))
    #expect(lexed.tokens.map(\.text) == ["let", "a", "=", "1"])
    #expect(
      lexed.comments == [Comment(text: "// try! b", line: 1), Comment(text: "/// doc", line: 2)])
  }

  @Test func `block comments nest and count lines`() {
    let lexed = Lexer.lex(Array("a /* x /* y\n */ z\n */ b\nc".utf8))
    #expect(lexed.tokens.map(\.text) == ["a", "b", "c"])
    #expect(lexed.tokens.map(\.line) == [1, 3, 4])
    #expect(lexed.comments.map(\.line) == [1])
  }

  @Test func `an unterminated comment or string ends at the end of the file`() {
    #expect(texts("a /* b") == ["a"])
    #expect(texts("a \"b") == ["a", "«b»"])
    #expect(texts("a \"\"\"\nb") == ["a", "«\nb»"])
    #expect(texts("a #\"b\"") == ["a", "«b\"»"])
    #expect(texts("a \"b\\") == ["a", "«b\\\0»"])
  }

  @Test func `words in a string are one string token and escapes do not end it`() {
    #expect(texts(#"f("try! \" x", g)"#) == ["f", "(", #"«try! \" x»"#, ",", "g", ")"])
  }

  @Test func `code inside an interpolation is code again, to any depth`() {
    #expect(
      texts(#""a \(f("b \(g(1)) c")) d" e"#)
        == ["«a  d»", "f", "(", "«b  c»", "g", "(", "1", ")", ")", "e"])
  }

  @Test func `a raw string ends and interpolates only with its hashes`() {
    #expect(texts(##"#"a " \(b) \#(c) d"# e"##) == [#"«a " \(b)  d»"#, "c", "e"])
  }

  @Test func `a multi-line string spans lines, holds quotes and marks the lines inside`() {
    let source = "let s = \"\"\"\n  a \"quoted\" // no comment\n  b\n  \"\"\"; x\ny"
    let lexed = Lexer.lex(Array(source.utf8))
    #expect(lexed.tokens.map(\.text).suffix(3) == [";", "x", "y"])
    #expect(lexed.comments.isEmpty)
    #expect(lexed.stringLines == [2, 3])
    #expect(lexed.tokens.last?.line == 5)
  }

  @Test func `a raw identifier is one word that equals no keyword`() {
    #expect(texts("func `any try! print(x)`()") == ["func", "`any try! print(x)`", "(", ")"])
  }

  @Test func `a regular expression literal is a string token and a division is not`() {
    #expect(texts("let r = /a\"b/ c") == ["let", "r", "=", "«/a\"b/»", "c"])
    #expect(texts("x = a / b / c") == ["x", "=", "a", "/", "b", "/", "c"])
    #expect(texts("x = (a) /b / c").filter { $0 == "/" }.count == 2)
    #expect(texts("#/a \" b/# c") == ["«#/a \" b/#»", "c"])
  }

  @Test func `numbers keep their exponents, separators and hex digits together`() {
    #expect(
      texts("1_000 1.5e-3 0xFF_e-1 0...3") == [
        "1_000", "1.5e-3", "0xFF_e", "-", "1", "0", ".", ".", ".", "3",
      ])
  }

  @Test func `offsets tell adjacent tokens from separated ones`() {
    let tokens = Lexer.lex(Array("try! a ? b".utf8)).tokens
    #expect(tokens[0].end == tokens[1].start)
    #expect(tokens[2].end < tokens[3].start)
  }
}
