import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { maxSearchLength } from "../../../domain/plain/searchLimits.ts"
import { IconButton } from "../../ui/controls/Button.tsx"
import { Input } from "../../ui/controls/Field.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { setQuery } from "../router.tsx"
import { useShortcut } from "../shortcuts.ts"
import { searchable } from "./filters.ts"

/** In milliseconds. */
const pause = 250

/** Searches after a pause in typing. If the address gets another text, as after Back, shows that text. */
const useTyped = (text: string | undefined) => {
  const [typed, setTyped] = useState(text ?? "")
  // The last text that this field put into the address. If it differs, something else, such as Back, changed the
  // address.
  const shown = useRef(text)
  const search = (value: string) => {
    const wanted = searchable(value)
    if (wanted === text) return
    // Remembered first, so that text that is typed during the search stays.
    shown.current = wanted
    // A search is one step in the history, however often its text changes.
    setQuery({ text: wanted }, { replace: text !== undefined })
  }
  // `useEffect` runs after the paint. Until then, a search for the previous text could begin.
  useLayoutEffect(() => {
    if (shown.current === text) return
    shown.current = text
    if (searchable(typed) !== text) setTyped(text ?? "")
  }, [text])
  useLayoutEffect(() => {
    if (searchable(typed) === text) return
    const timer = setTimeout(() => search(typed), pause)
    return () => clearTimeout(timer)
  }, [typed])
  return {
    typed,
    setTyped,
    search,
    clear: () => {
      setTyped("")
      search("")
    }
  }
}

export interface SearchFieldProps {
  readonly label: string
  readonly text: string | undefined
  /** Called for Enter with the text, after the search began. */
  readonly onEnter?: (text: string) => void
}

/** The address contains the text. `/` focuses the field, and Escape empties it. */
export const SearchField = ({ label, onEnter, text }: SearchFieldProps) => {
  const { clear, search, setTyped, typed } = useTyped(text)
  const field = useRef<HTMLDivElement>(null)
  const focus = () => field.current?.querySelector("input")?.select()
  useShortcut({ keys: "/", label, group: "Posts" }, focus)
  return (
    <div ref={field} class="search-field" role="search">
      <Icon name="search" size={14} />
      <Input
        type="text"
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder="Search"
        value={typed}
        maxlength={maxSearchLength}
        enterkeyhint="search"
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.isComposing) {
            search(typed)
            const wanted = searchable(typed)
            if (wanted !== undefined) onEnter?.(wanted)
          }
          if (event.key === "Escape" && typed !== "") clear()
        }}
        onValue={setTyped}
      />
      {typed !== "" && (
        <IconButton
          icon="close"
          label="Clear the search"
          onClick={() => {
            clear()
            focus()
          }}
        />
      )}
    </div>
  )
}
