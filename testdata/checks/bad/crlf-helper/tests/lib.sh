check() {
  true
}
