check() {
  true
