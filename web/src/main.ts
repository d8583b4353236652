// Starts the page: one session with the server the page came from, shown by App.

import { mount } from "svelte";
import App from "./App.svelte";
import { Client } from "./api/client";
import { Session } from "./state/session.svelte";
import "./ui/theme.css";

const session = new Session(new Client());
session.start();
mount(App, { target: document.body, props: { session } });
