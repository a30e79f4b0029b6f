import { render } from "preact"
import { App } from "./shell/App.tsx"

const root = document.querySelector("#app")
if (root !== null) {
  // What the document shows while this loads.
  root.replaceChildren()
  render(<App />, root)
}
