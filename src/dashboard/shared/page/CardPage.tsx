import type { ComponentChildren } from "preact"

/** The same drawing as in icon.svg. */
const Mark = () => (
  <svg class="mark" width={28} height={28} viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" class="mark-ground" />
    <path class="mark-line" d="M9.500 20.500V14a3 3 0 0 1 3-3H23m0 0-4-4m4 4-4 4" />
    <circle class="mark-dot" cx="9.500" cy="23.500" r="2.250" />
  </svg>
)

/** A page for people who are not logged in. */
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
