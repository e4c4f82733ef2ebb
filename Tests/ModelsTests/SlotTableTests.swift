import ModelBasics
import Testing

@Suite struct SlotTableTests {
  @Test func `a place that was given back last is given next, and what was in it stays till then`()
  {
    var table = SlotTable<String>()
    let places = ["a", "b", "c"].map { table.add($0) }
    #expect(places == [0, 1, 2] && table.reused == nil)
    table.giveBack(0)
    table.giveBack(2)
    #expect(table.reused == 2 && table[2] == "c" && table[0] == "a")
    #expect(table.add("d") == 2 && table[2] == "d")
    #expect(table.add("e") == 0 && table[0] == "e" && table.reused == nil)
    #expect(table.add("f") == 3)
    #expect(table.count == 4 && table.added == 6)
  }

  @Test func `what is in a place can be changed there`() {
    var table = SlotTable<[Int]>()
    let place = table.add([1])
    table[place].append(2)
    #expect(table[place] == [1, 2])
  }
}
