// How the company works: issues, people, meetings, services.
import { defineConnector, wick } from "@hub/connector";
import type { World } from "./records.ts";
import { findBy, fits, pageSize, toPage, toRead, toSystem, toWrite } from "./system-parts.ts";
import { countLogs, levels, serviceNames } from "./world.ts";

export function defineTracker({ issues }: World) {
  return defineConnector({
    ...toSystem("tracker", "Work items of the product teams: projects WEB, MOB, PAY, PLT."),
    operations: {
      list_issues: {
        ...toRead(
          "List issues",
          `List issues of a project, oldest first, ${pageSize} a page.\n\nDescriptions are left out; read one issue for them.`,
        ),
        input: {
          Project: wick("desc=Key of the project, such as WEB"),
          State: wick("dropdown=open|closed"),
          Label: wick("desc=Only issues with this label"),
          Assignee: wick("key=assignee_id;desc=Only issues of this person"),
          Page: wick.int("default=1"),
        },
        run: ({ params }) =>
          toPage(
            issues
              .filter(
                (issue) =>
                  fits(params.Project, issue.project) &&
                  fits(params.State, issue.state) &&
                  fits(params.Assignee, issue.assignee_id) &&
                  (params.Label === undefined || issue.labels.includes(params.Label)),
              )
              .map(({ description: _, ...issue }) => issue),
            Number(params.Page),
          ),
      },
      get_issue: {
        ...toRead("Get an issue", "Read one issue with its description."),
        input: { Id: wick("required;key=issue_id;desc=Such as WEB-12") },
        run: ({ params }) => findBy(issues, "id", params.Id, "issue"),
      },
      create_issue: {
        ...toWrite("Create an issue", "Open a new issue in a project."),
        input: {
          Project: wick("required"),
          Title: wick("required"),
          Label: wick("desc=Such as bug"),
          Description: wick("textarea"),
        },
        run: ({ params }) => ({ id: `${params.Project}-31`, title: params.Title, state: "open" }),
      },
      add_comment: {
        ...toWrite("Comment on an issue", "Add a comment to an issue."),
        input: { Id: wick("required;key=issue_id"), Text: wick("required") },
        run: ({ params }) => ({ issue_id: params.Id, comment_id: 77 }),
      },
      close_issue: {
        ...toWrite("Close an issue", "Close an issue that is done."),
        input: { Id: wick("required;key=issue_id") },
        run: ({ params }) => ({ id: params.Id, state: "closed" }),
      },
    },
  });
}

export function definePeople({ people }: World) {
  return defineConnector({
    ...toSystem("people", "Colleagues with team, office and manager."),
    operations: {
      find_people: {
        ...toRead("Find people", "Search colleagues by a part of their name."),
        input: { Name: wick("required") },
        run: ({ params }) =>
          people
            .filter(({ name }) => name.toLowerCase().includes(params.Name.toLowerCase()))
            .map(({ id, name, team }) => ({ id, name, team })),
      },
      get_person: {
        ...toRead("Get a person", "Read one colleague: e-mail, team, office, manager."),
        input: { Id: wick("required;key=person_id") },
        run: ({ params }) => findBy(people, "id", params.Id, "person"),
      },
      list_team: {
        ...toRead(
          "List a team",
          "List the members of a team: Web, Mobile, Payments, Platform or Support.",
        ),
        input: { Team: wick("required") },
        run: ({ params }) =>
          people
            .filter(({ team }) => team === params.Team)
            .map(({ id, name, team }) => ({ id, name, team })),
      },
    },
  });
}

export function defineCalendar({ events }: World) {
  return defineConnector({
    ...toSystem("calendar", "Meetings of colleagues."),
    operations: {
      list_events: {
        ...toRead("List events", "List the meetings of a person from a day on, soonest first."),
        input: {
          Person: wick("required;key=person_id"),
          From: wick("desc=A day, such as 2026-11-20"),
        },
        run: ({ params }) =>
          events
            .filter(
              ({ person_id: id, starts_at: at }) =>
                id === params.Person && at >= (params.From ?? ""),
            )
            .toSorted((first, second) => first.starts_at.localeCompare(second.starts_at)),
      },
      create_event: {
        ...toWrite("Create an event", "Invite a person to a meeting."),
        input: {
          Person: wick("required;key=person_id"),
          Title: wick("required"),
          StartsAt: wick("required"),
        },
        run: ({ params }) => ({ created: true, title: params.Title }),
      },
    },
  });
}

export function defineStatus({ services, incidents }: World) {
  return defineConnector({
    ...toSystem("status", `State of our services (${serviceNames.join(", ")}) and incidents.`),
    operations: {
      get_service: {
        ...toRead(
          "Get a service",
          "Read the state of one service, its repository and who is on call.",
        ),
        input: { Name: wick("required") },
        run: ({ params }) => findBy(services, "name", params.Name, "service"),
      },
      list_incidents: {
        ...toRead("List incidents", "List incidents of a service from a day on."),
        input: { Service: wick("required"), From: wick("desc=A day, such as 2026-11-01") },
        run: ({ params }) =>
          incidents.filter(
            ({ service, started_at: at }) =>
              service === params.Service && at >= (params.From ?? ""),
          ),
      },
      resolve_incident: {
        ...toWrite("Resolve an incident", "Mark an incident as resolved."),
        input: { Id: wick("required;key=incident_id") },
        run: ({ params }) => ({ id: params.Id, state: "resolved" }),
      },
    },
  });
}

export function defineLogs() {
  return defineConnector({
    ...toSystem("logs_store", `Log lines of the services ${serviceNames.join(", ")}.`),
    operations: {
      count_lines: {
        ...toRead("Count log lines", "Count the log lines of a service by level on one day."),
        input: {
          Service: wick("required"),
          Level: wick(`required;dropdown=${levels.join("|")}`),
          Day: wick("required;desc=Such as 2026-11-19"),
        },
        run: ({ params: { Service, Level, Day } }) => ({
          service: Service,
          level: Level,
          day: Day,
          lines: countLogs(Service, Level, Day),
        }),
      },
    },
  });
}
