import { useState } from "preact/hooks"

/** The state of a dialog about something, such as a row. `opened` is undefined while it is closed. */
export const useOpen = <A>() => {
  const [opened, open] = useState<A>()
  return {
    opened,
    open,
    close: () => open(undefined)
  }
}

export const useSwitch = () => {
  const [isOn, set] = useState(false)
  return {
    isOn,
    turnOn: () => set(true),
    turnOff: () => set(false),
    toggle: () => set(!isOn)
  }
}
