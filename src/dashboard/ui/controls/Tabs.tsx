import type { ComponentChildren } from "preact"
import { useRef } from "preact/hooks"

export interface Tab<Id extends string> {
  readonly id: Id
  readonly label: ComponentChildren
}

export interface TabsProps<Id extends string> {
  /** The accessible name. */
  readonly label: string
  readonly tabs: ReadonlyArray<Tab<Id>>
  readonly selected: Id
  readonly onSelect: (id: Id) => void
  readonly panelId?: string
}

const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 }

export const Tabs = <Id extends string>({ label, onSelect, panelId, selected, tabs }: TabsProps<Id>) => {
  const root = useRef<HTMLDivElement>(null)
  const move = (step: number) => {
    const index = tabs.findIndex(({ id }) => id === selected)
    const nextIndex = (index + step + tabs.length) % tabs.length
    const next = tabs[nextIndex]
    if (next === undefined) return
    onSelect(next.id)
    root.current?.querySelectorAll("button")[nextIndex]?.focus()
  }
  return (
    <div ref={root} class="tabs" role="tablist" aria-label={label}>
      {tabs.map((tab) => (
        <button
          key={tab.id}
          type="button"
          role="tab"
          class="tab"
          aria-selected={tab.id === selected}
          aria-controls={panelId}
          tabindex={tab.id === selected ? 0 : -1}
          onClick={() => onSelect(tab.id)}
          onKeyDown={(event) => {
            const step = steps[event.key]
            if (step === undefined) return
            event.preventDefault()
            move(step)
          }}
        >
          {tab.label}
        </button>
      ))}
    </div>
  )
}
