"""Cases that several tests of the whole program run."""

SQUARE = """\
title: A square
physics: heat
mesh: {generate: {box: {size: [1, 1], cells: [8, 8], cell: quad4}}}
materials: {medium: {conductivity: 1}}
boundary:
  - {on: xmin, temperature: 0}
  - {on: xmax, temperature: 1}
solver: {device: cpu}
output: {fields: [temperature], probes: [{name: middle, at: [0.5, 0.5], of: temperature}]}
expect: [{probe: middle, value: 0.5, tolerance: 1e-8}]
"""
# Six thousand iterations of one method, so that there is time to disturb it; in slow motion minutes of them on any machine.
SLOW_MOTION = {"TRESTLE_FAULT": "solve:iteration:1:slow", "TRESTLE_ALLOW_FAULTS": "1"}
LONG = """\
physics: elasticity
mesh: {generate: {box: {size: [20, 1, 1], cells: [160, 16, 16], cell: hex8}}}
materials: {medium: {young: 1e5, poisson: 0.3}}
boundary: [{on: xmin, displacement: [0, 0, 0]}, {on: xmax, traction: [0, 0, -1]}]
solver: {device: cpu, method: cg, preconditioner: jacobi, tolerance: 1e-13, max_iterations: 1000000}
"""
