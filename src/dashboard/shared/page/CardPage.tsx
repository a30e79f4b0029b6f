import type { ComponentChildren } from "preact"
import { Mark } from "./Mark.tsx"

/** For people who are not logged in. */
export const CardPage = ({ children, title }: { readonly children: ComponentChildren; readonly title: string }) => (
  <main class="card-page">
    <div class="card-column">
      <div class="card-brand">
        <Mark />
        <span>Social publisher</span>
      </div>
      <section class="card" aria-labelledby="card-title">
        <h1 id="card-title">{title}</h1>
        {children}
      </section>
    </div>
  </main>
)
