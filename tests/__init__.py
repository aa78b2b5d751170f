"""The tests of Weft. A package, so that its folders can import each other under one name."""
