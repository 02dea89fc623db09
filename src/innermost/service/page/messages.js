// Messages to the user.

import { $ } from "./dom.js";

/** An error with a message for the user; the status is that of the service's response, or 0. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export function tell(message, note = false) {
  const box = $("#error");
  box.textContent = message;
  box.classList.toggle("note", note);
  box.hidden = !message;
}

export function complain(error) {
  $("#status").textContent = "";
  $("#key").hidden = error.status !== 401;
  tell(error.message ?? String(error));
  if (!(error instanceof Refusal)) console.error(error);
}

/** An event handler that shows the errors of an action. */
export const attempt = (action) => async (event) => {
  event?.preventDefault?.();
  try {
    await action(event);
  } catch (error) {
    complain(error);
  }
};
