"""Cases whose runs are broken off and go on: one for each scheme of time or load."""
import recovery

PLASTIC = """\
physics: elasticity
mesh: {generate: {box: {size: [2, 1, 1], cells: [4, 2, 2], cell: hex8}}}
materials: {steel: {young: 200 GPa, poisson: 0.3, hardening: [[0, 250 MPa], [0.03, 340 MPa]]}}
analysis: {type: static, load_steps: 6}
boundary:
  - {on: xmin, displacement: [0, 0, 0]}
  - {on: xmax, displacement: [0.02, 0.005, ~]}
solver: {tolerance: 1e-12, device: cpu}
output: {fields: [displacement, stress, equivalent_plastic_strain], every: 0.5}
checkpoint: {every: 1 steps, keep: 100}
"""
NEWMARK = """\
physics: elasticity
analysis: {type: transient, end: 1, step: 0.1, scheme: newmark, damping: {mass: 0.1, stiffness: 0.01}}
mesh: {generate: {box: {size: [3, 1, 1], cells: [9, 3, 3], cell: hex8}}}
materials: {medium: {young: 100, poisson: 0.3, density: 1}}
initial: [{velocity: [0, 0.1*x, 0]}]
boundary:
  - {on: xmin, displacement: [0, 0.01*sin(5*t), 0]}
  - {on: xmax, traction: [0, "0.1*t", 0]}
solver: {tolerance: 1e-12, device: cpu}
checkpoint: {every: 1 steps, keep: 100}
"""
ADAPTIVE = """\
physics: heat
analysis: {type: transient, scheme: bdf2, end: 2, step: 0.01, tolerance: 1e-3}
mesh: {generate: {box: {size: [2, 1, 1], cells: [8, 4, 4], cell: hex8}}}
materials: {medium: {conductivity: 1 + 0.01*(T - 300), density: 1, specific_heat: 1}}
initial: [{temperature: 300}]
boundary:
  - {on: xmin, temperature: 300 + 50*sin(3*t)}
  - {on: xmax, convection: {coefficient: 3, ambient: 280}}
solver: {device: cpu, precision: double, tolerance: 1e-12}
output: {every: 0.5}
checkpoint: {every: 1 steps, keep: 100}
"""
TWO_WAY = """\
physics: thermoelasticity
model: plane_strain
mesh: {generate: {box: {size: [10 mm, 2 mm], cells: [48, 4], cell: quad8}}}
analysis: {type: transient, end: 2 s, step: 0.5 s, coupling: two_way}
initial: [{temperature: 300}]
materials:
  polyethylene:
    conductivity: 0.45
    density: 950
    specific_heat: 1900
    young: YOUNG
    poisson: 0.42
    thermal_expansion: 2e-4
    reference_temperature: 300
boundary:
  - {on: [xmin, ymin, ymax], roller: true}
  - {on: xmax, pressure: 10e6*(t > 0)}
  - {on: xmax, temperature: 300 + 5*t}
solver: {tolerance: 1e-12, device: cpu}
output: {fields: [displacement, temperature, stress], integrals: [{name: held, of: reaction_force, on: xmin}]}
checkpoint: {every: 1 steps, keep: 100}
"""
# Of its iterations most are those of the displacement.
ONE_WAY = TWO_WAY.replace(", coupling: two_way", "").replace("YOUNG", "1 GPa").replace("[48, 4]", "[8, 2]").replace(
    "1e-12", "1e-10, method: cg, preconditioner: jacobi")
LOAD_CASES = """physics: elasticity
mesh: {generate: {box: {size: [2, 1, 1], cells: [8, 4, 4], cell: hex8}}}
materials: {steel: {young: 200 GPa, poisson: 0.3, thermal_expansion: 1e-5, reference_temperature: 293}}
boundary: [{on: xmin, displacement: [0, 0, 0]}]
cases:
  - {name: pull, boundary: [{on: xmax, traction: [1 MPa, 0, 0]}]}
  - {name: side, boundary: [{on: xmax, traction: [0, 1 MPa, 0]}]}
  - {name: twist, boundary: [{on: xmax, traction: [0, "1e6*(z - 0.5)", "-1e6*(y - 0.5)"]}]}
combine: [{name: all, of: {pull: 1.35, side: 1.5, twist: -0.3}}]
solver: {tolerance: 1e-10, device: cpu, method: cg, preconditioner: jacobi}
output: {fields: [displacement, stress], integrals: [{name: held, of: reaction_force, on: xmin}]}
checkpoint: {every: 1 steps, keep: 100}
"""
HOT_CASES = """physics: thermoelasticity
mesh: {generate: {box: {size: [2, 1, 1], cells: [8, 4, 4], cell: hex8}}}
materials: {steel: {conductivity: 50, young: 200 GPa, poisson: 0.3, thermal_expansion: 1e-5, reference_temperature: 293}}
boundary: [{on: xmin, displacement: [0, 0, 0]}, {on: xmin, temperature: 293}]
cases:
  - {name: hot, boundary: [{on: xmax, flux: 1e4}]}
  - {name: pressed, boundary: [{on: xmax, pressure: 1 MPa}]}
solver: {tolerance: 1e-10, device: cpu}
output: {fields: [displacement, temperature, stress]}
checkpoint: {every: 1 steps, keep: 100}
"""
SWEEP = """physics: elasticity
mesh: {generate: {box: {size: [2, 1, 1], cells: [4, 2, 2], cell: hex8}}}
materials: {steel: {young: 200 GPa, poisson: 0.3, density: 7850}}
analysis: {type: harmonic, min_frequency: 100 Hz, max_frequency: 700 Hz, points: 5, damping: {loss_factor: 0.02}}
boundary: [{on: xmin, displacement: [0, 0, 0]}, {on: xmax, traction: [0, 1 MPa, 0]}]
solver: {device: cpu}
output: {fields: [displacement, phase], probes: [{name: tip, at: [2, 1, 1], of: amplitude}]}
checkpoint: {every: 1 steps, keep: 100}
"""
STRIP = recovery.STRIP.replace("checkpoint: {every: 1 steps}", "checkpoint: {every: 1 steps, keep: 100}")
CASES = {
    "bdf2": STRIP,
    "backward_euler": STRIP.replace("bdf2", "backward_euler"),
    "crank_nicolson": STRIP.replace("bdf2", "crank_nicolson"),
    "adaptive": ADAPTIVE,
    "newmark": NEWMARK,
    "generalized_alpha": NEWMARK.replace("newmark", "generalized_alpha"),
    "central_difference": NEWMARK.replace("end: 1, step: 0.1, scheme: newmark", "end: 0.3, scheme: central_difference").replace("tolerance: 1e-12, ", ""),
    "plastic": PLASTIC,
}
