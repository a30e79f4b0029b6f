import { render } from "preact"
import { App } from "./shell/App.tsx"

const root = document.querySelector("#app")
if (root !== null) render(<App />, root)
