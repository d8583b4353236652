// Opens the start page of a server with projects.

import { mount } from "svelte";
import { Client } from "../../api/client";
import { Preferences } from "../../state/kept/preferences.svelte";
import ProjectList from "./ProjectList.svelte";
import "../../ui/theme.css";

export function open(): void {
  mount(ProjectList, { target: document.body, props: { client: new Client(), preferences: new Preferences() } });
}
