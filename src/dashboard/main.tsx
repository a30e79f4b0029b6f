import { render } from "preact"
import { App } from "./shell/App.tsx"

const root = document.querySelector("#app")
if (root !== null) {
  // Removes the loading frame.
  root.replaceChildren()
  render(<App />, root)
}
