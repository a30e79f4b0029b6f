import { render } from "preact"
import { App } from "./shell/App.tsx"

const root = document.querySelector("#app")
if (root !== null) {
  // Removes the document's placeholder.
  root.replaceChildren()
  render(<App />, root)
}
