import type { ComponentChildren } from "preact"
import type { KeyJson } from "../../api/keys.ts"
import { Time } from "../../ui/time/Time.tsx"

export interface SettingsRowProps {
  readonly name: ComponentChildren
  /** The full name or its meaning, shown on hover. */
  readonly title: string | undefined
  readonly start?: ComponentChildren
  readonly facts: ReadonlyArray<ComponentChildren>
  readonly state?: ComponentChildren
  readonly children?: ComponentChildren
}

export const SettingsRow = ({ children, facts, name, start, state, title }: SettingsRowProps) => (
  <li class="settings-row">
    {start}
    <div class="settings-main">
      <p class="settings-name truncate" title={title}>
        {name}
      </p>
      {facts.map((fact, index) => (
        <p key={index} class="secondary small">
          {fact}
        </p>
      ))}
      {state}
    </div>
    {children}
  </li>
)

export const MadeBy = ({ author, verb = "Made" }: { readonly author: KeyJson["created_by"]; readonly verb?: string }) =>
  author?.name === undefined ? null : (
    <>
      {" "}
      · {verb} by {author.name}
    </>
  )

export const LastUse = ({ at }: { readonly at: string | null }) =>
  at === null ? (
    <>Never used</>
  ) : (
    <>
      Used <Time at={at} as="sentence" />
    </>
  )
