/** The folders whose packages only a script or some tests need. Each has its own package.json and lock file. */
export const folders = [
  "test/api/rules",
  "test/bench/peers",
  "test/clients",
  "test/mcp/conformance",
  "test/support/pds"
]
